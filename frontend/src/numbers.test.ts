import { expect, test } from "vitest";

import { digitsOf, numbersOf, rangeOf, sliderRange, stepOf, written } from "./numbers";

const texts = (line: string) => numbersOf(line).map((each) => each.text);

test("numbers are found where they are operands, and nowhere else", () => {
  expect(texts("im.disk(5).move(-2.5, 1e-3)")).toEqual(["5", "-2.5", "1e-3"]);
  expect(texts("a2 = b - 3 + x-1")).toEqual(["3", "1"]);
  expect(texts('im.text("12 apples", 3)  # 7')).toEqual(["3"]);
  expect(texts("im.array2 = 0x10 + 1_000 + .5")).toEqual(["1_000", ".5"]);
});

test("places are those of the document", () => {
  expect(numbersOf("f(12)", 100)).toEqual([{ from: 102, to: 104, value: 12, text: "12" }]);
});

test("a value is written with the digits that the number has", () => {
  expect(written(0.75, "0.60")).toBe("0.75");
  expect(written(1, "0.6")).toBe("1.0");
  expect(written(2.6, "5")).toBe("3");
  expect(written(-0.001, "0.1")).toBe("0.0");
  expect(written(3, "2.")).toBe("3.0");
});

test("a step is one of the last digit", () => {
  expect([stepOf("5"), stepOf("0.25"), digitsOf("1e-3")]).toEqual([1, 0.01, 3]);
});

test("a slider has its number between its ends", () => {
  for (const value of [0, 1, -1, 0.001, -250, 1e6]) {
    const [low, high] = rangeOf(value);
    expect(low).toBeLessThan(value || 0.1);
    expect(high).toBeGreaterThan(value);
  }
});

test("a slider keeps to what is allowed, and off an end that is not", () => {
  const limits = { low: 0, high: null, open: true, nonzero: false };
  const [low, high] = sliderRange(0.5, limits);
  expect(low).toBeGreaterThan(0);
  expect(high).toBe(1);
  expect(sliderRange(0.5, { ...limits, high: 1, open: false })).toEqual([0, 1]);
  expect(sliderRange(-3, { ...limits, low: null, high: -1 })[1]).toBeLessThan(-1);
  expect(sliderRange(1, null, "radians")).toEqual([-Math.PI, Math.PI]);
  expect(sliderRange(2, undefined)).toEqual(rangeOf(2));
});
