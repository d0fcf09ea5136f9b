// Numbers in the text: where they are, and how they read after a step.

import type { Range } from "./tree";

export interface Literal {
  from: number;
  to: number;
  value: number;
  text: string;
  /** The text in which it stands at this place. */
  doc?: object | null;
}

// A number that is no part of a name and none of another number; a sign belongs to it where no operand is before it.
const NUMBER = /(?<![\w.])(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?(?![\w.])/g;

/** The numbers of a line that are neither in a comment nor in a string. */
export function numbersOf(line: string, start = 0): Literal[] {
  const found: Literal[] = [];
  for (const match of blanked(line).matchAll(NUMBER)) {
    const before = line.slice(0, match.index);
    const signed = /(?:^|[(,=[{*/+\-:<>]|\breturn)\s*-$/.test(before);
    const from = match.index - (signed ? 1 : 0);
    const text = line.slice(from, match.index + match[0].length);
    const value = Number(text.replaceAll("_", ""));
    if (Number.isFinite(value)) found.push({ from: start + from, to: start + from + text.length, value, text });
  }
  return found;
}

/** The line with its strings and its comment as spaces. */
function blanked(line: string): string {
  return line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|#.*/g, (part) => " ".repeat(part.length));
}

/** How many digits after the point a number is written with. */
export function digitsOf(text: string): number {
  const [mantissa, exponent] = text.toLowerCase().split("e");
  const after = mantissa.split(".")[1]?.replaceAll("_", "").length ?? 0;
  return Math.max(0, after - Number(exponent ?? 0));
}

/** The step of a number: one of its last digit, and for a whole number one. */
export function stepOf(text: string): number {
  return 10 ** -Math.min(digitsOf(text), 12);
}

/** A value as it is written in the place of a number: with as many digits, and whole where that is whole. */
export function written(value: number, like: string): string {
  const digits = Math.min(digitsOf(like), 12);
  const text = value.toFixed(digits);
  const plain = Number(text) === 0 ? text.replace("-", "") : text;
  return digits === 0 && /[.eE]/.test(like) ? `${plain}.0` : plain;
}

/** A value as it is written in the place of a number; one with an exponent has the digits that the value needs. */
export function like(value: number, text: string): string {
  return /e/i.test(text) ? String(value) : written(value, text);
}

const MIN_DIGITS = 2; // of a number with a point while it slides: fewer would jump

/** A value as it is written while it slides in the place of a number; that of a whole one is rounded. */
export function moving(value: number, text: string, whole = false): string {
  if (whole) return like(Math.round(value), text);
  return written(value, `0.${"0".repeat(Math.max(MIN_DIGITS, digitsOf(text)))}`);
}

/** The range of a slider about a number that says nothing of its range. */
export function rangeOf(value: number): [number, number] {
  const around = value === 0 ? 1 : 2 * Math.abs(value);
  return value < 0 ? [-around, around / 2] : [value === 0 ? -1 : 0, around];
}

/** Parts of a slider that keep off an end which is not allowed itself. */
const MARGIN = 200;

/** The range of a slider for a number of which some is known: the limits of what is allowed, and its unit. */
export function sliderRange(value: number, limits: Range | null | undefined, unit = ""): [number, number] {
  let [low, high] = rangeOf(value);
  if (unit === "radians") {
    const reach = Math.max(Math.PI, Math.abs(value));
    [low, high] = [-reach, reach];
  }
  if (!limits) return [low, high];
  if (limits.low !== null && limits.high !== null) [low, high] = [limits.low, limits.high];
  else if (limits.low !== null) low = Math.max(low, limits.low);
  else if (limits.high !== null) high = Math.min(high, limits.high);
  if (low >= high) high = low + 1;
  const margin = (high - low) / MARGIN;
  if (limits.low !== null && (limits.open || (limits.nonzero && low === 0))) low = Math.max(low, limits.low + margin);
  if (limits.high !== null && limits.open) high = Math.min(high, limits.high - margin);
  return [low, high];
}
