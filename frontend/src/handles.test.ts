import { expect, test } from "vitest";

import { after, frameOf, handlesOf, inverse, mapped, settled } from "./handles";
import type { Tree, TreeNode } from "./tree";

const NODE = { kind: "image", expected: null, start: 0, end: 0, color: null, shows: true, definition: null, value: null };

/** A tree of calls: each node is its form or word, its parent, and its arguments by name. */
function tree(nodes: Record<number, Partial<TreeNode>>): Tree {
  const made: Record<string, TreeNode> = {};
  for (const [id, node] of Object.entries(nodes)) {
    made[id] = { ...NODE, identity: Number(id), form: "call", word: "", label: "", parent: null, arguments: [], ...node } as TreeNode;
  }
  return { valid: true, picture: 1, nodes: made, roots: [1], names: [] };
}

const number = (value: number, parent: number) => ({ form: "number", value, parent });

// turn(pi / 2, move((2, 0), disk(3)))
const turned = tree({
  1: { word: "turn", arguments: [{ name: "angle", role: "argument", node: 2, expected: null, unit: "radians" }, { name: "image", role: "argument", node: 3, expected: null }] },
  2: number(Math.PI / 2, 1),
  3: { word: "move", parent: 1, arguments: [{ name: "offset", role: "argument", node: 4, expected: null, type: "Point" }, { name: "image", role: "argument", node: 7, expected: null }] },
  4: { form: "tuple", parent: 3, arguments: [{ name: "x", role: "item", node: 5, expected: null }, { name: "y", role: "item", node: 6, expected: null }] },
  5: number(2, 4),
  6: number(0, 4),
  7: { word: "disk", parent: 3, arguments: [{ name: "radius", role: "argument", node: 8, expected: null, unit: "units" }] },
  8: number(3, 7),
});

test("a map and its inverse undo each other", () => {
  const map = after([2, 1, 0, 1, 3, 4], [0, 1, -1, 0, 5, 6]);
  const [x, y] = mapped(inverse(map)!, mapped(map, [7, 8]));
  expect(x).toBeCloseTo(7);
  expect(y).toBeCloseTo(8);
  expect(inverse([1, 1, 1, 1, 0, 0])).toBe(null);
});

test("a node lies where the words around it move it", () => {
  const { map, exact } = frameOf(turned, 7);
  expect(exact).toBe(true);
  // The middle of the disk is moved to the right and then turned upwards.
  const [x, y] = mapped(map, [0, 0]);
  expect(x).toBeCloseTo(0);
  expect(y).toBeCloseTo(2);
});

test("what a warp does to a node is not known", () => {
  const swirled = { ...turned, nodes: { ...turned.nodes, 1: { ...turned.nodes[1], word: "swirl" } } };
  expect(frameOf({ ...swirled, picture: 9 }, 7).exact).toBe(false);
});

test("a handle lies at its numbers, and gives those of where it is put", () => {
  const [radius] = handlesOf(turned, turned.nodes[7], 1);
  expect([radius.kind, radius.numbers, radius.at, radius.put([5, 9])]).toEqual(["length", [8], [3, 0], [5]]);
  const [offset] = handlesOf(turned, turned.nodes[3], 1);
  expect([offset.kind, offset.numbers, offset.at, offset.put([5, 9])]).toEqual(["point", [5, 6], [2, 0], [5, 9]]);
  const [angle] = handlesOf(turned, turned.nodes[1], 1);
  expect(angle.put([0, 2])[0]).toBeCloseTo(Math.PI / 2);
});

test("a name that is both numbers of a point gives it no handle", () => {
  const named: Tree["nodes"] = { ...turned.nodes, 6: { ...turned.nodes[6], form: "name", value: "a", definition: 5 } };
  expect(handlesOf({ ...turned, nodes: named }, named[3], 1)).toEqual([]);
});

test("an angle goes on beyond a whole turn", () => {
  const wound: Tree = { ...turned, nodes: { ...turned.nodes, 2: { ...turned.nodes[2], value: 7 } } };
  const [angle] = handlesOf(wound, wound.nodes[1], 1);
  expect(angle.put([Math.cos(7.5), Math.sin(7.5)])[0]).toBeCloseTo(7.5);
});

test("a number has the digits of a pixel, and stays in its range", () => {
  expect(settled(1.23456, null, 0.01, false)).toBe(1.23);
  expect(settled(1.23456, null, 0.01, true)).toBe(1);
  const place = { name: "radius", role: "argument", node: 1, expected: null, range: { low: 0, high: null, open: true, nonzero: false } };
  expect(settled(-3, place, 0.01, false)).toBe(0.01);
});
