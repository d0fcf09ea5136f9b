// What is selected, with all that it takes: a slider and an exact field for a number, a dial for an angle, a swatch for
// a color, and the controls of `controls.tsx`. What is dragged is one step of the history.
import { useEffect, useRef, useState } from "react";

import { OklchSliders, PointPad, SeedDie, Stops } from "./controls";
import { Drag } from "./dragging";
import type { Editing } from "./editing";
import { type Editor } from "./editor";
import { type Literal, moving, sliderRange, stepOf } from "./numbers";
import { nameOf, nodeOf, placeOf, type Tree, type TreeArgument, type TreeNode } from "./tree";

/** The number that stands in a node, if it is written there as one. */
export function literalOf(editor: Editor, node: TreeNode): Literal | null {
  if (node.form !== "number" || typeof node.value !== "number") return null;
  return editor.literal(node.start, node.end, node.value);
}

function isWhole(at: Literal, place: TreeArgument | null): boolean {
  // A number of which nothing is known stays what it is: it may be a count.
  return place?.unit === "whole" || (!place?.type && !/[.eE]/.test(at.text));
}

/** A number where it is now: what was made of it here is known before the text is read again. */
function useLatest(editor: Editor, at: Literal) {
  const last = useRef(at);
  const latest = () => (editor.has(last.current) ? last.current : at);
  const keep = (made: Literal) => (last.current = made);
  return { latest, keep };
}

/** A number as something to slide: where it is now, and what a step of the hand and its end do. */
function useSliding(editor: Editor, at: Literal, whole: boolean, what: string) {
  const { latest, keep } = useLatest(editor, at);
  const drag = useRef<Drag | null>(null);
  const slide = (value: number) => {
    if (!drag.current && !editor.has(latest())) return;
    drag.current ??= new Drag(editor, [latest()], what);
    drag.current.to([moving(value, drag.current.now[0].text, whole)]);
  };
  const end = () => {
    if (drag.current) keep(drag.current.end()[0]);
    drag.current = null;
  };
  return { latest, slide, end };
}

export function Slider({ editor, at, place, label, hidden }: { editor: Editor; at: Literal; place: TreeArgument | null; label: string; hidden?: boolean }) {
  const range = () => sliderRange(at.value, place?.range, place?.unit);
  const [[low, high], setRange] = useState(range);
  // Where the hand has it; the text follows.
  const [held, setHeld] = useState<number | null>(null);
  const whole = isWhole(at, place);
  const { latest, slide, end } = useSliding(editor, at, whole, label);
  const letGo = () => {
    end();
    setHeld(null);
  };
  useEffect(() => {
    if (at.value < low || at.value > high) setRange(range());
  }, [at.value]);
  return (
    <input
      type="range" className="nodrag nopan" aria-label={label} aria-valuetext={`${latest().text} ${place?.unit ?? ""}`.trim()}
      tabIndex={hidden ? -1 : undefined} min={low} max={high} step={whole ? 1 : "any"} value={held ?? latest().value}
      onChange={({ target }) => (setHeld(Number(target.value)), slide(Number(target.value)))} onPointerUp={letGo} onKeyUp={letGo} onBlur={letGo}
    />
  );
}

function Exact({ editor, editing, node, at, label }: { editor: Editor; editing: Editing; node: TreeNode; at: Literal; label: string }) {
  const [typed, setTyped] = useState<string | null>(null);
  const { latest, keep } = useLatest(editor, at);
  const set = (from: Literal, value: number, like: string) => {
    keep(editor.setNumber(from, value, label, like));
  };
  const enter = () => {
    const [text, value] = [typed?.trim(), Number(typed)];
    setTyped(null);
    if (!text || text === latest().text || !Number.isFinite(value)) return;
    if (editor.has(latest())) return set(latest(), value, text);
    editing.whenRead((tree) => {
      const now = nodeOf(tree, node.identity);
      const found = now && literalOf(editor, now);
      if (found) set(found, value, text);
    });
  };
  return (
    <input
      className="exact" aria-label={`${label}, exactly`} inputMode="decimal" value={typed ?? at.text}
      onChange={(event) => setTyped(event.target.value)} onBlur={enter}
      onKeyDown={(event) => {
        if (event.key === "Enter") enter();
        if (event.key === "Escape") setTyped(null);
        if (event.key === "ArrowUp" || event.key === "ArrowDown") {
          event.preventDefault();
          const { value, text } = latest();
          set(latest(), value + (event.key === "ArrowUp" ? 1 : -1) * stepOf(text), text);
        }
      }}
    />
  );
}

/** A dial for an angle, for hands only: the slider beside it says the same. */
function Dial({ editor, at, label }: { editor: Editor; at: Literal; label: string }) {
  const { slide, end } = useSliding(editor, at, false, label);
  const turn = (event: React.PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    slide(Math.atan2(box.top + box.height / 2 - event.clientY, event.clientX - box.left - box.width / 2));
  };
  return (
    <svg
      className="dial" viewBox="-10 -10 20 20" aria-hidden="true"
      onPointerDown={(event) => (event.currentTarget.setPointerCapture(event.pointerId), turn(event))}
      onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && turn(event)}
      onPointerUp={end}
    >
      <circle r="8.5" />
      <line x2={7.5 * Math.cos(at.value)} y2={-7.5 * Math.sin(at.value)} />
    </svg>
  );
}

/** A color as something to pick: all that is picked until the end is one step. */
function usePicking(editor: Editor, editing: Editing, node: TreeNode) {
  const hex = useRef<{ from: number; to: number } | "asked" | null>(null);
  const wanted = useRef("");
  const alpha = node.color!.slice(7) === "ff" ? "" : node.color!.slice(7);
  const write = () => {
    const at = hex.current;
    if (at === null || at === "asked") return;
    editor.throttle.request(hex, () => editor.setText(at.from, at.to, wanted.current));
  };
  const pick = (value: string) => {
    wanted.current = value;
    if (hex.current !== null) return write();
    // The first color changes what is written there; those after it change its digits only.
    hex.current = "asked";
    editing.edit(node.identity, "set_literal", { value: value + alpha }, (from, to) => {
      const found = /#[0-9a-f]{6}/i.exec(editor.view.state.sliceDoc(from, to));
      const ended = hex.current === null;
      hex.current = found && { from: from + found.index, to: from + found.index + 7 };
      if (wanted.current !== value) write();
      if (ended) end();
    });
  };
  const end = () => {
    // What is still asked for ends when it comes.
    editor.throttle.flush();
    if (hex.current !== null && hex.current !== "asked") editor.endStep();
    hex.current = null;
  };
  return { pick, end };
}

/** A swatch that opens the color picker of the browser, and sliders where it is selected. */
function Swatch({ editor, editing, node, label }: { editor: Editor; editing: Editing; node: TreeNode; label: string }) {
  const field = useRef<HTMLInputElement>(null);
  const { pick, end } = usePicking(editor, editing, node);
  const ended = useRef(end);
  ended.current = end;
  useEffect(() => {
    const closed = () => ended.current();
    const at = field.current!;
    at.addEventListener("change", closed);
    return () => at.removeEventListener("change", closed);
  }, []);
  const color = node.color!.slice(0, 7);
  return (
    <>
      <input ref={field} type="color" aria-label={label} value={color} onChange={(event) => pick(event.target.value)} />
      {editing.selected === node.identity && <OklchSliders color={color} label={label} pick={pick} end={end} />}
    </>
  );
}

interface Part {
  key: string;
  node: TreeNode;
  place: TreeArgument | null;
  label: string;
}

/** The literals of a node by what they are given for; those that a name stands for too. */
function partsOf(tree: Tree, id: number): Part[] {
  const found: Part[] = [];
  const add = (node: TreeNode | null, place: TreeArgument | null, label: string, key: string) => {
    if (!node) return;
    const meant = node.form === "name" ? nodeOf(tree, node.definition) : null;
    if (meant) {
      const given = meant.word === "param" ? meant.arguments.find((each) => each.name === "default") : undefined;
      const value = given ? nodeOf(tree, given.node) : meant;
      if (value?.form === "number") found.push({ key, node: value, place: given ?? place, label: `${label} (${node.label})` });
    } else if (node.form === "tuple" || node.form === "list") {
      if (node.kind === "point" || node.kind === "stops" || place?.type === "Point" || place?.type === "Stops") found.push({ key, node, place, label });
      node.arguments.forEach((each, index) => add(nodeOf(tree, each.node), null, `${label} ${node.kind === "point" ? "xyz"[index] : each.name}`, `${key}.${index}`));
    } else if (["number", "truth"].includes(node.form) || node.color || (node.form === "text" && place?.choices)) {
      found.push({ key, node, place, label });
    }
  };
  const node = nodeOf(tree, id)!;
  if (isValue(node)) add(node, placeOf(tree, id), placeOf(tree, id)?.name ?? (nameOf(tree, id) || node.form), "value");
  else node.arguments.forEach((each, index) => add(nodeOf(tree, each.node), each, each.name, `${index}`));
  return found;
}

function isValue(node: TreeNode): boolean {
  return ["number", "truth", "text", "name"].includes(node.form) || node.color !== null;
}

function Row({ editor, editing, part }: { editor: Editor; editing: Editing; part: Part }) {
  const { node, place, label } = part;
  const at = literalOf(editor, node);
  const can = (edit: string) => editing.selected === node.identity && editing.offers.find((each) => each.edit === edit);
  if (node.form === "list") return <Stops editor={editor} editing={editing} list={node} />;
  const set = (value: unknown) => editing.edit(node.identity, "set_literal", { value });
  return (
    <div className={`number${editing.selected === node.identity ? " at" : ""}`}>
      <button className="label" title={`Select ${label}`} onClick={() => editing.select(node.identity)}>{label}</button>
      {at && <Slider editor={editor} at={at} place={place} label={label} />}
      {at && <Exact editor={editor} editing={editing} node={node} at={at} label={label} />}
      {node.form === "tuple" && <PointPad editor={editor} tree={editing.tree} node={node} label={label} />}
      {node.color && <Swatch editor={editor} editing={editing} node={node} label={label} />}
      {node.form === "truth" && <input type="checkbox" aria-label={label} checked={node.value === true} onChange={() => set(node.value !== true)} />}
      {node.form === "text" && place?.choices && (
        <select aria-label={label} value={String(node.value)} onChange={(event) => set(event.target.value)}>
          {place.choices.map((each) => <option key={each}>{each}</option>)}
        </select>
      )}
      {at && (
        <span className="more">
          {place?.unit === "radians" && <Dial editor={editor} at={at} label={label} />}
          {place?.name === "seed" && <SeedDie editor={editor} at={at} label={label} />}
          {place?.unit && <span className="unit">{place.unit}</span>}
          {can("make_parameter") && <button onClick={() => editing.edit(node.identity, "make_parameter", {})}>Make a parameter</button>}
          {can("animate") && <button onClick={() => editing.edit(node.identity, "animate", {})}>Animate</button>}
        </span>
      )}
    </div>
  );
}

export function Inspector({ editor, editing }: { editor: Editor | null; editing: Editing }) {
  const { tree, selected } = editing;
  const node = nodeOf(tree, selected);
  // A value is shown among those beside it.
  let owner = node && (isValue(node) || node.form === "list" || node.form === "tuple") ? nodeOf(tree, node.parent) : node;
  while (owner && (owner.form === "tuple" || owner.form === "list")) owner = nodeOf(tree, owner.parent);
  if (!owner || owner.form === "function") owner = node;
  const parts = owner ? partsOf(tree, owner.identity) : [];
  const missing = owner?.form === "call" ? owner.arguments.filter((each) => each.node === null && !each.many) : [];
  const title = owner ? (nameOf(tree, owner.identity) || owner.label) : "Nothing is selected";
  return (
    <div className="inspector">
      <h2>{title}{owner && owner.kind !== "unknown" && <span className="kind"> {owner.kind}</span>}</h2>
      {editor && parts.map((part) => <Row key={`${owner!.identity} ${part.key}`} editor={editor} editing={editing} part={part} />)}
      {missing.length > 0 && (
        <p className="missing">
          {missing.map((each) => (
            <button key={each.name} onClick={() => editing.edit(owner!.identity, "set_argument", { name: each.name })}>+ {each.name}</button>
          ))}
        </p>
      )}
      {!parts.length && !missing.length && (
        <p className="hint">
          {owner ? "It takes no numbers of its own: select what it is made of, in the tree or in the text." : "Select a part of the picture in the tree or in the text; what it takes is slid here."}
        </p>
      )}
    </div>
  );
}
