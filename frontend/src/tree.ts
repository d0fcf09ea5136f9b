// The tree of the document as the server tells it, and questions about it: what is where, what is beside what.

export interface Range {
  low: number | null;
  high: number | null;
  open: boolean;
  nonzero: boolean;
}

export interface TreeArgument {
  name: string;
  role: string;
  node: number | null;
  expected: string | null;
  type?: string;
  unit?: string;
  many?: boolean;
  required?: boolean;
  default?: unknown;
  range?: Range | null;
  choices?: string[] | null;
}

export interface TreeNode {
  identity: number;
  form: string;
  kind: string;
  expected: string | null;
  start: number;
  end: number;
  word: string;
  label: string;
  value: number | string | boolean | null;
  color: string | null;
  shows: boolean;
  parent: number | null;
  definition: number | null;
  arguments: TreeArgument[];
}

export interface TreeName {
  name: string;
  node: number;
  start: number;
  end: number;
  uses: number[];
}

export interface Tree {
  valid: boolean;
  picture: number | null;
  nodes: Record<string, TreeNode>;
  roots: number[];
  names: TreeName[];
}

export const EMPTY: Tree = { valid: true, picture: null, nodes: {}, roots: [], names: [] };

export function nodeOf(tree: Tree, id: number | null): TreeNode | null {
  return id === null ? null : (tree.nodes[id] ?? null);
}

/** The nodes that stand in a node, in the order of its arguments. */
export function childrenOf(tree: Tree, id: number): number[] {
  const given = nodeOf(tree, id)?.arguments.map((each) => each.node) ?? [];
  return given.filter((each): each is number => each !== null && each in tree.nodes);
}

/** The name that the document gives to a node, if it does. */
export function nameOf(tree: Tree, id: number): string {
  return tree.names.find((each) => each.node === id)?.name ?? "";
}

/** The roots, that of the picture first. */
export function rootsOf(tree: Tree): number[] {
  const roots = tree.roots.filter((each) => each in tree.nodes);
  let top = tree.picture;
  while (top !== null && tree.nodes[top]?.parent != null) top = tree.nodes[top].parent;
  return top !== null && roots.includes(top) ? [top, ...roots.filter((each) => each !== top)] : roots;
}

/** The argument as which a node is given, as far as its parent says. */
export function placeOf(tree: Tree, id: number): TreeArgument | null {
  const parent = nodeOf(tree, nodeOf(tree, id)?.parent ?? null);
  return parent?.arguments.find((each) => each.node === id) ?? null;
}

/**
 * The node that a selection of the text means: that of exactly these letters, otherwise the smallest one around them.
 * Of two nodes of the same letters it is the one that was `picked`.
 */
export function nodeAt(tree: Tree, text: string, from: number, to: number, picked: number | null = null): number | null {
  let [start, end] = [from, to];
  const at = nodeOf(tree, picked);
  if (at && at.start === start && at.end === end) return picked;
  const trim = () => {
    while (start < end && /\s/.test(text[start])) start++;
    while (start < end && /\s/.test(text[end - 1])) end--;
  };
  const all = Object.values(tree.nodes);
  const exact = () => all.find((each) => each.start === start && each.end === end);
  if (from < to) {
    trim();
    // Parentheses around an expression are no part of its node.
    while (!exact() && text[start] === "(" && text[end - 1] === ")" && end - start > 2) {
      start++;
      end--;
      trim();
    }
  }
  let found: TreeNode | null = null;
  for (const each of all) {
    if (each.start > start || each.end < end) continue;
    if (!found || each.end - each.start < found.end - found.start) found = each;
  }
  // The name of a value stands before it, in no node.
  return found?.identity ?? tree.names.find((each) => each.start <= start && end <= each.end)?.node ?? null;
}

export interface Line {
  id: number;
  depth: number;
  /** The argument as which it is given, or the name that it has. */
  role: string;
  open: boolean;
  leaf: boolean;
}

/** The tree as lines from top to bottom; what is below a node that is `closed` is left out. */
export function linesOf(tree: Tree, closed: ReadonlySet<number>): Line[] {
  const found: Line[] = [];
  const add = (id: number, depth: number, role: string) => {
    const below = childrenOf(tree, id);
    const open = !closed.has(id);
    found.push({ id, depth, role, open, leaf: !below.length });
    if (!open) return;
    for (const each of nodeOf(tree, id)!.arguments) {
      if (each.node !== null && each.node in tree.nodes) add(each.node, depth + 1, each.name);
    }
  };
  for (const root of rootsOf(tree)) add(root, 0, nameOf(tree, root));
  return found;
}

/** Where an arrow key leads from a node: to what is around, inside, before or after it; null where there is nothing. */
export function neighbor(tree: Tree, id: number, key: string): number | null {
  const node = nodeOf(tree, id);
  if (!node) return null;
  if (key === "ArrowLeft") return node.parent;
  if (key === "ArrowRight") return childrenOf(tree, id)[0] ?? node.definition;
  const lines = linesOf(tree, new Set()).map((each) => each.id);
  const at = lines.indexOf(id);
  return lines[at + (key === "ArrowDown" ? 1 : -1)] ?? null;
}
