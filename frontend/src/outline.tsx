// The tree as an outline: lines that open and close, for keys and for screen readers.
import { useEffect, useMemo, useRef, useState } from "react";

import type { Editing, Thumbnails } from "./editing";
import { cell } from "./library";
import { linesOf, nodeOf, type Tree } from "./tree";

const PICTURE_WIDTH = 32;

export function Thumbnail({ thumbnails, id, width }: { thumbnails: Thumbnails | null; id: number; width: number }) {
  const at = thumbnails?.places.get(id);
  const count = thumbnails ? Math.min(thumbnails.columns, thumbnails.places.size) : 1;
  // A sheet of one row is as wide as what is in it.
  if (at === undefined || !thumbnails) return <span className="thumbnail none" style={{ width, height: (width * 3) / 4 }} />;
  return <span className="thumbnail" style={cell(thumbnails.url, at, count, width)} />;
}

/** What a line says of its node. */
function textOf(tree: Tree, id: number): string {
  const node = nodeOf(tree, id)!;
  if (node.form === "name") return `→ ${node.label}`;
  return node.form === "hole" ? "a hole" : node.label;
}

interface Asked {
  editing: Editing;
  keys(event: React.KeyboardEvent): void;
  heat: ReadonlyMap<number, number> | null;
}

export function Outline({ editing, keys, heat }: Asked) {
  const { tree, selected, thumbnails } = editing;
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set());
  const lines = useMemo(() => linesOf(tree, closed), [tree, closed]);
  const list = useRef<HTMLUListElement>(null);
  const at = lines.some((each) => each.id === selected) ? selected : (lines[0]?.id ?? null);
  const set = (id: number, open: boolean) => {
    const next = new Set(closed);
    if (open) next.delete(id);
    else next.add(id);
    setClosed(next);
  };
  const go = (index: number) => {
    const line = lines[Math.min(Math.max(index, 0), lines.length - 1)];
    if (line) editing.select(line.id);
  };
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, lines]);
  const pressed = (event: React.KeyboardEvent) => {
    const index = lines.findIndex((each) => each.id === at);
    const line = lines[index];
    const move: Record<string, () => void> = {
      ArrowDown: () => go(selected === null ? 0 : index + 1),
      ArrowUp: () => go(index - 1),
      Home: () => go(0),
      End: () => go(lines.length - 1),
      ArrowRight: () => (line.open || line.leaf ? !line.leaf && go(index + 1) : set(line.id, true)),
      ArrowLeft: () => (line.open && !line.leaf ? set(line.id, false) : go(lines.findLastIndex((each, k) => k < index && each.depth < line.depth))),
    };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (line && event.key in move) {
      event.preventDefault();
      move[event.key]();
    } else keys(event);
  };
  return (
    <ul
      ref={list} className="outline" role="tree" aria-label="Outline" tabIndex={0} onKeyDown={pressed}
      aria-activedescendant={at !== null ? `line-${at}` : undefined}
    >
      {lines.map((line) => (
        <li
          key={line.id} id={`line-${line.id}`} role="treeitem" aria-level={line.depth + 1} aria-selected={line.id === at}
          aria-expanded={line.leaf ? undefined : line.open} style={{ paddingLeft: 6 + 16 * line.depth }}
          onClick={() => editing.select(line.id)}
          onDoubleClick={() => set(line.id, !line.open)}
        >
          <span className="fold" aria-hidden="true" onClick={() => set(line.id, !line.open)}>{line.leaf ? "" : line.open ? "▾" : "▸"}</span>
          {nodeOf(tree, line.id)!.shows && thumbnails?.places.has(line.id) && <Thumbnail thumbnails={thumbnails} id={line.id} width={PICTURE_WIDTH} />}
          {nodeOf(tree, line.id)!.color && <span className="swatch" style={{ background: nodeOf(tree, line.id)!.color! }} />}
          <span className="role">{line.role}</span>
          <span>{textOf(tree, line.id)}</span>
          {heat?.has(line.id) && <span className="role">{Math.round(100 * heat.get(line.id)!)} %</span>}
        </li>
      ))}
    </ul>
  );
}
