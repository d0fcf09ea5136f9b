import { expect, test } from "vitest";

import { ticks } from "./ticks";

const shown = (low: number, high: number, most: number) => ticks(low, high, most).map((each) => each.label);

test("steps are round", () => {
  expect(shown(-1, 1, 4)).toEqual(["-1.0", "-0.5", "0", "0.5", "1.0"]);
  expect(shown(0.1, 7.3, 4)).toEqual(["2", "4", "6"]);
  expect(shown(-0.031, 0.02, 5)).toEqual(["-0.02", "0", "0.02"]);
  expect(shown(3e6, 3.01e6, 3)).toEqual(["3000000", "3005000", "3010000"]);
});

test("there are never more than were asked for, and one", () => {
  for (const [low, high] of [[0, 1], [-7, 3.2], [1e-12, 9e-12], [-1e9, 2e9], [0.3, 0.30001]]) {
    for (const most of [1, 3, 7, 20]) {
      const found = ticks(low, high, most);
      expect(found.length).toBeLessThanOrEqual(most + 1);
      for (const { at } of found) expect(at >= low - 1e-6 * (high - low) && at <= high + 1e-6 * (high - low)).toBe(true);
    }
  }
});

test("where numbers do not tell neighbors apart there are none", () => {
  expect(ticks(1e20, 1e20 + 1, 5)).toEqual([]);
  expect(ticks(1e15, 1e15 + 1e-3, 5)).toEqual([]);
  expect(ticks(0, 0, 5)).toEqual([]);
  expect(ticks(0, Infinity, 5)).toEqual([]);
  expect(ticks(NaN, 1, 5)).toEqual([]);
});
