import { expect, test } from "vitest";

import { matching } from "./commands";
import { unpacked } from "./link";

const named = (...names: string[]) => names.map((name) => ({ name }));

test("what begins with the letters comes first, and what has them not is left out", () => {
  const found = matching(named("Go to the text", "Export as PNG", "Text size"), "text");
  expect(found.map((each) => each.name)).toEqual(["Text size", "Go to the text"]);
  expect(matching(named("Undo", "Redo"), "")).toHaveLength(2);
  expect(matching(named("Undo"), "odnu")).toEqual([]);
});

test("a frame is a line of JSON and bytes", () => {
  const bytes = new TextEncoder().encode('{"kind":"frame","id":3}\n\n12');
  const [message, data] = unpacked(bytes.buffer as ArrayBuffer);
  expect(message).toEqual({ kind: "frame", id: 3 });
  expect([...new Uint8Array(data.buffer, data.byteOffset, data.byteLength)]).toEqual([10, 49, 50]);
  expect(() => unpacked(new ArrayBuffer(3))).toThrow();
});
