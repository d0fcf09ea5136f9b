// The tree as cards with sockets and lines, for eyes and hands; the outline beside it says the same.
import { Background, Handle, type NodeProps, Position, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { createContext, memo, useContext, useEffect, useMemo, useRef } from "react";

import { type Card, cardsOf, cardWith, HEAD, ROW, WIDTH } from "./cards";
import type { Editing } from "./editing";
import type { Editor } from "./editor";
import { literalOf, Slider } from "./inspector";
import { Thumbnail } from "./outline";
import { nodeOf, placeOf } from "./tree";

const PICTURE_WIDTH = 64;
/** Cards above which only those in sight are on the page. */
const MANY = 60;

interface Here extends Pick<Editing, "tree" | "thumbnails" | "selected" | "select"> {
  editor: Editor;
  heat: ReadonlyMap<number, number> | null;
}

/** What all cards show parts of. A node of the flow that holds it would be another one, and made again, at each change. */
const Around = createContext<Here | null>(null);

/** Where a line ends; there are many, and they stay as they are. */
const Socket = memo(function Socket({ kind, row }: { kind: string; row?: string }) {
  const [type, side] = row === undefined ? ["target" as const, Position.Left] : ["source" as const, Position.Right];
  return <Handle type={type} id={row} position={side} className={`socket ${kind}`} isConnectable={false} title={kind} />;
});

const CardView = memo(function CardView({ data: { card } }: NodeProps & { data: { card: Card } }) {
  const { tree, thumbnails, selected: at, select, editor, heat } = useContext(Around)!;
  const part = heat?.get(card.id) ?? null;
  const node = nodeOf(tree, card.id);
  return (
    <div className={`card${at === card.id ? " at" : ""}`} data-card={card.id} style={{ width: WIDTH, height: card.height }}>
      <div className="head" style={{ height: HEAD }} onClick={() => select(card.id)}>
        {node?.shows && <Thumbnail thumbnails={thumbnails} id={card.id} width={PICTURE_WIDTH} />}
        {part !== null && <span className="heat" style={{ width: `${100 * part}%` }} title={`${Math.round(100 * part)} % of the cost`} />}
        <span className="title">{card.name && <b>{card.name}</b>}<span>{card.title}</span></span>
        <Socket kind={card.kind} />
      </div>
      {card.rows.map((row) => {
        const inside = nodeOf(tree, row.id);
        if (!inside) return null;
        const literal = literalOf(editor, inside);
        const written = editor.view.state.sliceDoc(inside.start, inside.end).slice(0, 24);
        const text = inside.form === "name" || row.target === null ? (inside.form === "tuple" ? written : inside.label) : "";
        return (
          <div key={row.key} className={`row${at === row.id ? " at" : ""}`} data-node={row.id} style={{ height: ROW }} onClick={() => select(row.id)}>
            <span className="role" title={row.name}>{row.name}</span>
            {literal ? <Slider editor={editor} at={literal} place={placeOf(tree, row.id)} label={row.name} hidden /> : null}
            {inside.color && <span className="swatch" style={{ background: inside.color }} />}
            <span className="value">{literal ? literal.text : text}</span>
            {row.target !== null && <Socket kind={row.kind} row={row.key} />}
          </div>
        );
      })}
    </div>
  );
});

const TYPES = { card: CardView };

interface Asked extends Pick<Here, "editor" | "heat"> {
  editing: Editing;
  /** Insert a word before what a line leads to. */
  insert(id: number): void;
}

/** What was made before, as long as all that it is made of is as it was. */
function useKept<T>(made: T): T {
  const kept = useRef<{ text: string; made: T } | null>(null);
  const text = JSON.stringify(made);
  if (kept.current?.text !== text) kept.current = { text, made };
  return kept.current.made;
}

function Flow({ editing, editor, heat, insert }: Asked) {
  const { tree, selected, thumbnails, select } = editing;
  // Not what fits, nor whether the text was read: that changes twice with each number, and no card shows it.
  const here = useMemo(() => ({ tree, thumbnails, selected, select, editor, heat }), [tree, thumbnails, selected, select, editor, heat]);
  const flow = useReactFlow();
  const cards = useKept(useMemo(() => cardsOf(tree), [tree]));
  const nodes = useMemo(() => cards.map((card) => ({
    id: String(card.id), type: "card", position: { x: card.x, y: card.y }, width: WIDTH, height: card.height,
    measured: { width: WIDTH, height: card.height }, draggable: false, style: { pointerEvents: "all" as const }, data: { card },
  })), [cards]);
  const edges = useMemo(() => cards.flatMap((card) => card.rows.flatMap((row) => row.target === null ? [] : [{
    id: `${card.id} ${row.key}`, source: String(card.id), sourceHandle: row.key, target: String(row.target), className: row.kind, focusable: false, data: { row: row.id },
  }])), [cards]);
  const count = useRef(0);
  useEffect(() => {
    // What is on the page is laid out before it can be looked at as a whole.
    if (!count.current && cards.length) requestAnimationFrame(() => void flow.fitView({ maxZoom: 1, padding: 0.06 }));
    count.current = cards.length;
  }, [cards]);
  useEffect(() => {
    const card = selected === null ? null : cardWith(cards, selected);
    if (!card) return;
    const corner = flow.flowToScreenPosition({ x: card.x, y: card.y });
    const far = flow.flowToScreenPosition({ x: card.x + WIDTH, y: card.y + card.height });
    const pane = document.querySelector(".graph")!.getBoundingClientRect();
    const seen = corner.x >= pane.left && far.x <= pane.right && corner.y >= pane.top && far.y <= pane.bottom;
    if (!seen) void flow.setCenter(card.x + WIDTH / 2, card.y + card.height / 2, { zoom: flow.getZoom() });
  }, [selected, cards]);
  return (
    <Around value={here}>
      <ReactFlow
        nodes={nodes} edges={edges} nodeTypes={TYPES} nodesDraggable={false} nodesConnectable={false} nodesFocusable={false}
        edgesFocusable={false} elementsSelectable={false} disableKeyboardA11y deleteKeyCode={null} panActivationKeyCode={null} minZoom={0.1} maxZoom={2}
        onEdgeClick={(_, edge) => insert(edge.data!.row)} zoomOnDoubleClick={false} onlyRenderVisibleElements={cards.length > MANY}
      >
        <Background gap={22} />
      </ReactFlow>
    </Around>
  );
}

export function Graph(asked: Asked) {
  return (
    <div className="graph" aria-hidden="true">
      <ReactFlowProvider><Flow {...asked} /></ReactFlowProvider>
    </div>
  );
}
