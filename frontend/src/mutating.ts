// Mutations of the numbers of a document: which numbers are changed, by how much, and what is then written.
import type { Replacement } from "./editor";
import { digitsOf, written } from "./numbers";
import { nodeOf, placeOf, type Tree, type TreeArgument, type TreeNode } from "./tree";

/** Numbers that are changed at once, on the average. */
const CHANGED = 3;
const MIN_DIGITS = 2;
/** Seeds are chosen below this. */
export const MAX_SEED = 10_000;
/** Arguments that say how a picture is looked at, or between what bounds a number is slid. */
const KEPT = new Set(["width", "height", "center", "zoom", "low", "high"]);

/** Random numbers of 0 to 1 that are the same for the same seed: the generator mulberry32. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The numbers of a tree that may be changed. */
export function numbersIn(tree: Tree): TreeNode[] {
  return Object.values(tree.nodes).filter((node) => {
    if (node.form !== "number" || typeof node.value !== "number") return false;
    const place = placeOf(tree, node.identity);
    const around = nodeOf(tree, node.parent);
    const framing = around?.form === "method" && around.word === "framed";
    const bound = around?.word === "param" && place !== null && KEPT.has(place.name);
    // A power or a part by number is more than a number.
    return !framing && !bound && !(around?.form === "operator" && around.word === "**") && around?.form !== "item";
  });
}

/** A number near to another, within the range of its place; `strength` is about 0.1 to 1. */
function mutated(value: number, place: TreeArgument | null, whole: boolean, strength: number, next: () => number): number {
  if (place?.name === "seed") return Math.floor(next() * MAX_SEED);
  // The sum of three is nearly normal, with a deviation of 1.
  const normal = 2 * (next() + next() + next() - 1.5);
  const { low = null, high = null } = place?.range ?? {};
  let found: number;
  if (whole) found = value + Math.sign(normal) * Math.max(1, Math.round(Math.abs(normal * strength * value) / 2));
  else if (place?.unit === "radians") found = value + normal * strength * 1.5;
  else if (low !== null && high !== null) found = value + (normal * strength * (high - low)) / 2;
  else if (value === 0) found = normal * strength;
  else found = value * Math.exp(normal * strength);
  if (low !== null) found = Math.max(found, low);
  if (high !== null) found = Math.min(found, high);
  return whole ? Math.round(found) : found;
}

/** One mutation: some numbers of the tree with other values, each as the text writes it. */
export function mutation(tree: Tree, text: string, strength: number, next: () => number): Replacement[] {
  const numbers = numbersIn(tree);
  const sure = Math.floor(next() * numbers.length);
  return numbers.flatMap((node, index) => {
    if (index !== sure && next() >= CHANGED / numbers.length) return [];
    const place = placeOf(tree, node.identity);
    const before = text.slice(node.start, node.end);
    const whole = place?.unit === "whole" || (!place?.type && !/[.eE]/.test(before));
    const like = whole ? "0" : `0.${"0".repeat(Math.max(MIN_DIGITS, digitsOf(before)))}`;
    const after = written(mutated(node.value as number, place, whole, strength, next), like);
    const open = place?.range?.open && Number(after) === place.range.low;
    return after === before || open ? [] : [{ start: node.start, end: node.end, text: after }];
  });
}
