import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";

import { completions, expectedAt, fitting } from "./completing";
import type { Library, Word } from "./library";

const word = (name: string, kind: string, takes: Word["takes"] = [], receiver: string | null = null): Word => ({
  name, kind, takes, receiver, sort: "word", doc: "", signature: "", example: "", family: "", start: null, at: null,
});
const takes = (...given: [string, string][]) => given.map(([name, expected]) => ({ name, expected, many: false }));
const library: Library = {
  words: [
    word("disk", "region", takes(["radius", "number"])),
    word("fill", "image", takes(["paint", "picture"], ["region", "region"]), "region"),
    word("union", "region", [{ name: "regions", expected: "region", many: true }]),
  ],
  columns: 16,
  fits: { region: ["disk"] },
};

test("a call says what it expects at a place", () => {
  const at = (text: string) => expectedAt(library, text, text.length);
  expect(at("a = im.fill(im.gold, ")).toBe("region");
  expect(at("a = im.fill((1, 2), im.disk(")).toBe("number");
  expect(at("a = im.fill(region=")).toBe("region");
  expect(at("a = shape.fill(")).toBe("picture");
  expect(at("a = im.union(1, 2, 3, ")).toBe("region");
  expect([at("a = "), at("a = other("), at("a = [1, "), at("a = im.disk(1, ")]).toEqual([null, null, null, null]);
});

test("words are those that fit the kind that is expected", () => {
  expect(fitting(library, "region").map((each) => each.name)).toEqual(["disk"]);
  expect(fitting(library, null)).toHaveLength(3);
  expect(fitting(library, "any")).toHaveLength(3);
});

test("completions come after the dot of the vocabulary, and nowhere else", () => {
  const source = completions(() => library);
  const of = (doc: string) => source(new CompletionContext(EditorState.create({ doc }), doc.length, false));
  const found = of("picture = im.fill(im.gold, im.di");
  expect([found?.from, found?.options.map((each) => each.label)]).toEqual([30, ["disk"]]);
  expect(of("picture = im.di")?.options).toHaveLength(3);
  expect(of("picture = board.di")).toBe(null);
  expect(completions(() => null)(new CompletionContext(EditorState.create({ doc: "im." }), 3, false))).toBe(null);
});
