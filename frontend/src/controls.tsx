// Controls of the inspector for more than a number: a color as its lightness, chroma and hue, a pad for a point, a die
// for a seed, and the stops of a gradient. What is dragged is one step of the history.
import { useRef, useState } from "react";

import { Drag } from "./dragging";
import type { Editing } from "./editing";
import type { Editor } from "./editor";
import { literalOf } from "./inspector";
import { MAX_SEED } from "./mutating";
import { type Literal, moving } from "./numbers";
import { hexOf, MAX_CHROMA, type Oklch, oklchOf } from "./oklch";
import { childrenOf, nodeOf, type Tree, type TreeNode } from "./tree";

const PAD_PIXELS = 64;
const STOP_STEP = 0.01; // between two stops that are dragged

const SLIDERS: { name: string; high: number; shown(value: number): string }[] = [
  { name: "lightness", high: 1, shown: (value) => `${Math.round(100 * value)} %` },
  { name: "chroma", high: MAX_CHROMA, shown: (value) => value.toFixed(3) },
  { name: "hue", high: 360, shown: (value) => `${Math.round(value)}°` },
];

/** Sliders of a color; `pick` is told each color, and `end` that the hand let go. */
export function OklchSliders({ color, label, pick, end }: { color: string; label: string; pick(hex: string): void; end(): void }) {
  // While it is slid, hue and chroma are what the hand says, also where a color has none.
  const [held, setHeld] = useState<{ of: string; as: Oklch } | null>(null);
  const now = held?.of === color ? held.as : oklchOf(color);
  return (
    <span className="oklch">
      {SLIDERS.map(({ name, high, shown }, index) => (
        <label key={name}>{name}
          <input
            type="range" aria-label={`${name} of ${label}`} aria-valuetext={shown(now[index])} min={0} max={high} step="any" value={now[index]}
            onChange={(event) => {
              const as = now.map((each, k) => (k === index ? Number(event.target.value) : each)) as Oklch;
              const of = hexOf(as);
              setHeld({ of, as });
              pick(of);
            }}
            onPointerUp={end} onKeyUp={end} onBlur={end}
          />
        </label>
      ))}
    </span>
  );
}

/** A die: another seed, as a step of its own. */
export function SeedDie({ editor, at, label }: { editor: Editor; at: Literal; label: string }) {
  const roll = () => {
    const other = Math.floor(Math.random() * (MAX_SEED - 1));
    editor.setNumber(at, other < at.value ? other : other + 1, label, "0");
  };
  return <button onClick={roll} aria-label={`Roll ${label}`}>Roll</button>;
}

/** A pad for a point, for hands only: the sliders beside it say the same. */
export function PointPad({ editor, tree, node, label }: { editor: Editor; tree: Tree; node: TreeNode; label: string }) {
  const held = useRef<{ x: number; y: number; drag: Drag; values: number[]; reach: number } | null>(null);
  const literals = childrenOf(tree, node.identity).map((id) => literalOf(editor, nodeOf(tree, id)!));
  if (literals.length !== 2 || literals.some((each) => !each)) return null;
  const found = literals as Literal[];
  const values = found.map((each) => each.value);
  const reach = held.current?.reach ?? 1.5 * Math.max(1, ...values.map(Math.abs));
  const end = () => {
    held.current?.drag.end();
    held.current = null;
  };
  return (
    <svg
      className="pad" viewBox="-1 -1 2 2" width={PAD_PIXELS} height={PAD_PIXELS} aria-hidden="true" data-pad={label}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        held.current = { x: event.clientX, y: event.clientY, drag: new Drag(editor, found, label), values, reach };
      }}
      onPointerMove={(event) => {
        const at = held.current;
        if (!at) return;
        const unit = (2 * at.reach) / PAD_PIXELS;
        const to = [at.values[0] + (event.clientX - at.x) * unit, at.values[1] - (event.clientY - at.y) * unit];
        at.drag.to(at.drag.now.map(({ text }, index) => moving(to[index], text)));
      }}
      onPointerUp={end} onLostPointerCapture={end}
    >
      <path d="M-1 0 H1 M0 -1 V1" />
      <circle cx={values[0] / reach} cy={-values[1] / reach} r="0.12" />
    </svg>
  );
}

interface Stop {
  item: TreeNode;
  color: string;
  position: TreeNode | null;
}

/** The stops that a list gives, as far as each is a color, or a position and a color. */
function stopsOf(tree: Tree, list: TreeNode): Stop[] {
  return childrenOf(tree, list.identity).flatMap((id): Stop[] => {
    const item = nodeOf(tree, id)!;
    if (item.color) return [{ item, color: item.color, position: null }];
    const [position, color] = item.form === "tuple" ? childrenOf(tree, id).map((each) => nodeOf(tree, each)!) : [];
    return position?.form === "number" && color?.color ? [{ item, color: color.color, position }] : [];
  });
}

/** The stops of a gradient on a bar; their numbers and colors stand below it. */
export function Stops({ editor, editing, list }: { editor: Editor; editing: Editing; list: TreeNode }) {
  const bar = useRef<HTMLDivElement>(null);
  const held = useRef<{ drag: Drag; low: number; high: number } | null>(null);
  const stops = stopsOf(editing.tree, list);
  if (stops.length < 2) return null;
  const part = (stop: Stop, index: number) => (stop.position ? (stop.position.value as number) : index / (stops.length - 1));
  const parts = stops.map((stop, index) => `${stop.color} ${100 * Math.min(1, Math.max(0, part(stop, index)))}%`);
  const end = () => {
    held.current?.drag.end();
    held.current = null;
  };
  const move = (clientX: number) => {
    if (!held.current) return;
    const { drag, low, high } = held.current;
    const box = bar.current!.getBoundingClientRect();
    drag.to([moving(Math.min(high, Math.max(low, (clientX - box.left) / box.width)), drag.now[0].text)]);
  };
  const last = stops.at(-1)!;
  return (
    <div className="stops">
      <div className="bar" ref={bar} style={{ background: `linear-gradient(to right, ${parts.join(", ")})` }} aria-hidden="true">
        {stops.map((stop, index) => (
          <span
            key={stop.item.identity} className="stop" data-stop={index} style={{ left: `${100 * part(stop, index)}%`, background: stop.color }}
            onPointerDown={(event) => {
              editing.select(stop.item.identity);
              const literal = stop.position && literalOf(editor, stop.position);
              if (!literal) return;
              event.currentTarget.setPointerCapture(event.pointerId);
              // Positions rise: a stop stays between those beside it.
              const beside = (other: number, way: number, end: number) => (stops[other] ? part(stops[other], other) + way * STOP_STEP : end);
              held.current = { drag: new Drag(editor, [literal], "Stop"), low: beside(index - 1, 1, 0), high: beside(index + 1, -1, 1) };
            }}
            onPointerMove={(event) => move(event.clientX)} onPointerUp={end} onLostPointerCapture={end}
          />
        ))}
      </div>
      <p className="missing">
        <button onClick={() => editing.edit(last.item.identity, "duplicate", {})}>Add a stop</button>
        {stops.length > 2 && <button onClick={() => editing.edit(last.item.identity, "delete", {})}>Remove the last stop</button>}
      </p>
    </div>
  );
}
