import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";

import { completions, fitting } from "./completing";
import type { Library, Word } from "./library";

const word = (name: string, kind: string): Word => ({ name, kind, sort: "word", doc: "", signature: "", example: "", family: "", start: null, at: null });
const library: Library = { words: [word("disk", "region"), word("rings", "image")], columns: 16, fits: { region: ["disk"] } };

test("words are those that fit the kind that is expected", () => {
  expect(fitting(library, "region").map((each) => each.name)).toEqual(["disk"]);
  expect(fitting(library, null)).toHaveLength(2);
  expect(fitting(library, "any")).toHaveLength(2);
});

test("completions come after the dot of the vocabulary, and nowhere else", () => {
  const asked: number[] = [];
  const source = completions(() => library, (at) => (asked.push(at), "region"));
  const of = (doc: string) => source(new CompletionContext(EditorState.create({ doc }), doc.length, false));
  const found = of("picture = im.di");
  expect([found?.from, found?.options.map((each) => each.label)]).toEqual([13, ["disk"]]);
  expect(asked).toEqual([10]);
  expect(of("picture = board.di")).toBe(null);
  expect(completions(() => null, () => null)(new CompletionContext(EditorState.create({ doc: "im." }), 3, false))).toBe(null);
});
