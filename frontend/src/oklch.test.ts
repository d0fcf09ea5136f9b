import { expect, test } from "vitest";

import { hexOf, oklchOf } from "./oklch";

test("a color is the same after the way there and back", () => {
  for (const hex of ["#000000", "#ffffff", "#ff6347", "#191970", "#ffd700", "#808080", "#0000ff", "#00ff00"]) {
    expect(hexOf(oklchOf(hex))).toBe(hex);
  }
});

test("red has the lightness, chroma and hue that it is known by", () => {
  const [lightness, chroma, hue] = oklchOf("#ff0000");
  expect(lightness).toBeCloseTo(0.628, 3);
  expect(chroma).toBeCloseTo(0.2577, 3);
  expect(hue).toBeCloseTo(29.23, 1);
});

test("a color that sRGB does not have keeps its lightness and hue", () => {
  const [lightness, chroma, hue] = oklchOf(hexOf([0.7, 0.33, 150]));
  expect(lightness).toBeCloseTo(0.7, 2);
  expect(Math.abs(hue - 150)).toBeLessThan(1);
  expect(chroma).toBeLessThan(0.33);
});
