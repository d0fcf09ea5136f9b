// The tree as cards: what is a card, what is a row in one, and where the cards lie. Shared names are one card.

import { nameOf, nodeOf, rootsOf, type Tree, type TreeNode } from "./tree";

/** Pixels of a card: its width, its head, a row, what is below the last row, and what is between cards. */
export const WIDTH = 208;
export const HEAD = 62;
export const ROW = 26;
const FOOT = 6;
const GAP = 18;
const COLUMN = WIDTH + 72;

export interface Row {
  key: string;
  /** The node that stands here. */
  id: number;
  name: string;
  kind: string;
  /** The card that the socket of the row leads to, if it leads to one. */
  target: number | null;
}

export interface Card {
  id: number;
  /** What the card is: a word, an operator, a form. */
  title: string;
  /** The name that the document gives it. */
  name: string;
  kind: string;
  rows: Row[];
  x: number;
  y: number;
  height: number;
}

const INLINE = new Set(["number", "text", "truth", "none", "hole", "name", "attribute"]);

/** Whether a node is a row of the card around it, and no card of its own. */
export function isInline(node: TreeNode): boolean {
  if (INLINE.has(node.form)) return true;
  if (node.form === "word" || node.form === "unknown") return node.kind === "color" || !node.shows;
  return node.form === "tuple" && node.arguments.every((each) => each.role === "item") && node.kind === "point";
}

/** The cards of a tree, laid out from left to right: what a card is made of lies to its right. */
export function cardsOf(tree: Tree): Card[] {
  const cards = new Map<number, Card>();
  const target = (id: number): number | null => {
    const node = nodeOf(tree, id)!;
    if (node.definition !== null) return node.definition in tree.nodes ? node.definition : null;
    return isInline(node) ? null : id;
  };
  // Each card after all that it leads to; where a function leads back to itself, the way back is left out.
  const order: number[] = [];
  const gather = (id: number) => {
    if (cards.has(id)) return;
    const card = cardOf(tree, id, target);
    cards.set(id, card);
    for (const row of card.rows) if (row.target !== null) gather(row.target);
    order.push(id);
  };
  // A part of what has a name of its own is drawn where it stands.
  const topOf = (id: number): number => {
    const parent = nodeOf(tree, id)!.parent;
    return parent !== null && parent in tree.nodes ? topOf(parent) : id;
  };
  const tops: number[] = [];
  for (const root of rootsOf(tree)) {
    const top = topOf(root);
    if (cards.has(top)) continue;
    tops.push(top);
    gather(top);
  }
  order.reverse();
  const rank = new Map(order.map((id, index) => [id, index]));
  const column = new Map(order.map((id) => [id, 0]));
  for (const id of order) {
    for (const { target: to } of cards.get(id)!.rows) {
      if (to !== null && rank.get(to)! > rank.get(id)!) column.set(to, Math.max(column.get(to)!, column.get(id)! + 1));
    }
  }
  const placed = new Set<number>();
  const place = (id: number, top: number): number => {
    placed.add(id);
    const card = cards.get(id)!;
    const below: Card[] = [];
    let bottom = top;
    for (const { target: to } of card.rows) {
      if (to === null || placed.has(to)) continue;
      bottom = place(to, below.length ? bottom + GAP : top);
      below.push(cards.get(to)!);
    }
    const middle = (each: Card) => each.y + each.height / 2;
    const center = below.length ? (middle(below[0]) + middle(below.at(-1)!)) / 2 : top + card.height / 2;
    card.x = COLUMN * column.get(id)!;
    card.y = Math.max(top, center - card.height / 2);
    return Math.max(bottom, card.y + card.height);
  };
  let bottom = 0;
  for (const top of tops) bottom = placed.has(top) ? bottom : place(top, bottom ? bottom + 2 * GAP : 0);
  return [...cards.values()];
}

function cardOf(tree: Tree, id: number, target: (id: number) => number | null): Card {
  const node = nodeOf(tree, id)!;
  const rows: Row[] = [];
  if (isInline(node)) rows.push({ key: "value", id, name: "", kind: node.kind, target: node.definition !== null ? target(id) : null });
  node.arguments.forEach((each, index) => {
    const inside = nodeOf(tree, each.node);
    if (!inside) return;
    const kind = inside.kind === "unknown" ? (each.expected ?? "unknown") : inside.kind;
    rows.push({ key: `${index}`, id: inside.identity, name: each.name, kind, target: target(inside.identity) });
  });
  const height = HEAD + ROW * rows.length + FOOT;
  const title = node.form === "apply" ? (nodeOf(tree, node.arguments[0]?.node ?? null)?.label ?? "call") : node.label;
  return { id, title, name: nameOf(tree, id), kind: node.kind, rows, x: 0, y: 0, height };
}

/** The card in which a node is seen: its own, or that of which it is a row. */
export function cardWith(cards: Card[], id: number): Card | null {
  return cards.find((each) => each.id === id) ?? cards.find((each) => each.rows.some((row) => row.id === id)) ?? null;
}
