import { expect, test } from "vitest";

import { carried } from "./carried";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

function chunk(name: string, body: number[]): number[] {
  const length = [24, 16, 8, 0].map((shift) => (body.length >>> shift) & 255);
  return [...length, ...new TextEncoder().encode(name), ...body, 0, 0, 0, 0];
}

function file(...chunks: number[][]): ArrayBuffer {
  return new Uint8Array([...SIGNATURE, ...chunks.flat()]).buffer;
}

function text(keyword: string, value: string): number[] {
  return chunk("iTXt", [...new TextEncoder().encode(`${keyword}\0\0\0\0\0${value}`)]);
}

const HEAD = chunk("IHDR", new Array(13).fill(1));

test("a program stands before the pixels", () => {
  expect(carried(file(HEAD, text("pellucid", "picture = 1 # é")))).toBe("picture = 1 # é");
  expect(carried(file(HEAD, text("Title", "other"), text("pellucid", "a"), chunk("IDAT", [1])))).toBe("a");
  expect(carried(file(HEAD, chunk("IDAT", [1]), text("pellucid", "a")))).toBeNull();
});

test("what is no such file carries nothing", () => {
  const whole = file(HEAD, text("pellucid", "picture = 1"));
  for (let length = 0; length < whole.byteLength - 4; length++) expect(carried(whole.slice(0, length))).toBeNull();
  expect(carried(file(HEAD, text("Title", "pellucid")))).toBeNull();
  expect(carried(file(HEAD, chunk("iTXt", [...new TextEncoder().encode("pellucid")])))).toBeNull();
  expect(carried(new Uint8Array([...SIGNATURE, 255, 255, 255, 255, 105, 84, 88, 116]).buffer)).toBeNull();
  expect(carried(new TextEncoder().encode("from pellucid import images").buffer as ArrayBuffer)).toBeNull();
});
