import { expect, test } from "vitest";

import { mutation, numbersIn, random } from "./mutating";
import type { Tree, TreeNode } from "./tree";

const TEXT = "disk(0.5, seed=3).framed(width=6)";
const node = (identity: number, more: Partial<TreeNode>): TreeNode => ({
  identity, form: "number", kind: "number", expected: null, start: 0, end: 0, word: "", label: "", value: null, color: null,
  shows: false, parent: null, definition: null, arguments: [], ...more,
});
const place = { role: "argument", expected: "number" };
const TREE: Tree = {
  valid: true, picture: 1, roots: [1], names: [],
  nodes: {
    1: node(1, { form: "method", word: "framed", arguments: [{ ...place, name: "picture", node: 2 }, { ...place, name: "width", node: 5 }] }),
    2: node(2, {
      form: "call", word: "disk", parent: 1,
      arguments: [
        { ...place, name: "radius", node: 3, unit: "units", type: "Length", range: { low: 0, high: 1, open: true, nonzero: false } },
        { ...place, name: "seed", node: 4, unit: "whole", type: "Count" },
      ],
    }),
    3: node(3, { value: 0.5, start: 5, end: 8, parent: 2 }),
    4: node(4, { value: 3, start: 15, end: 16, parent: 2 }),
    5: node(5, { value: 6, start: 31, end: 32, parent: 1 }),
  },
};

test("the same seed gives the same numbers", () => {
  const [one, other] = [random(7), random(7)];
  expect([one(), one(), one()]).toEqual([other(), other(), other()]);
});

test("the frame of a picture is left as it is", () => {
  expect(numbersIn(TREE).map((each) => each.identity)).toEqual([3, 4]);
});

test("numbers stay in their range, and seeds are whole", () => {
  const next = random(1);
  let changed = 0;
  for (let index = 0; index < 200; index++) {
    for (const { start, end, text } of mutation(TREE, TEXT, 1, next)) {
      changed++;
      expect(TEXT.slice(start, end)).toMatch(/^(0\.5|3)$/);
      if (start === 5) expect(Number(text) > 0 && Number(text) <= 1, text).toBe(true);
      else expect(text).toMatch(/^\d+$/);
    }
  }
  expect(changed).toBeGreaterThan(200);
});
