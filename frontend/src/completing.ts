// What the text pane says of words: those that fit where the cursor is, and the page of the one under the pointer.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { hoverTooltip } from "@codemirror/view";

import { cell, type Library, type Word } from "./library";

const PICTURE_WIDTH = 96;
const DOT = /\b(?:im|images)\.(\w*)$/;

/** Words that fit where a kind is expected; all of them where nothing is known. */
export function fitting({ words, fits }: Library, expected: string | null): Word[] {
  const names = expected === null ? undefined : fits[expected];
  return names?.length ? words.filter((each) => names.includes(each.name)) : words;
}

/** The kind that the call around a place of the text expects there; null where nothing is known. */
export function expectedAt({ words }: Library, text: string, at: number): string | null {
  let depth = 0;
  let commas = 0;
  let start = at;
  while (start > 0) {
    const letter = text[start - 1];
    if (")]}".includes(letter)) depth++;
    else if ("([{".includes(letter)) {
      if (depth-- === 0) break;
    } else if (letter === "," && depth === 0) commas++;
    start--;
  }
  if (text[start - 1] !== "(") return null;
  const called = /(\w*)(\.?)(\w+)\s*$/.exec(text.slice(0, start - 1));
  const word = words.find((each) => each.name === called?.[3]);
  if (!word) return null;
  const keyword = /(\w+)\s*=\s*$/.exec(text.slice(start, at));
  if (keyword) return word.takes.find((each) => each.name === keyword[1])?.expected ?? null;
  // What a method is called on is no argument of its call.
  const method = called![2] === "." && !["im", "images"].includes(called![1]);
  const left = method ? word.takes.filter((each) => each.name !== word.receiver) : word.takes;
  return (left[commas] ?? left.findLast((each) => each.many))?.expected ?? null;
}

/** The completions after the name of the vocabulary and a dot. */
export function completions(library: () => Library | null) {
  return (context: CompletionContext): CompletionResult | null => {
    const found = library();
    const before = context.matchBefore(DOT);
    if (!found || !before) return null;
    const dot = before.text.indexOf(".") + 1;
    const options = fitting(found, expectedAt(found, context.state.sliceDoc(0, before.from), before.from)).map((word): Completion => ({
      label: word.name,
      detail: word.kind,
      type: word.sort === "word" ? "function" : "constant",
      info: () => pageOf(found, word),
    }));
    return { from: before.from + dot, options, validFor: /^\w*$/ };
  };
}

/** The page of a word: its picture, its signature, its sentence, and an example. */
function pageOf({ columns }: Library, word: Word): HTMLElement {
  const page = document.createElement("div");
  page.className = "word";
  if (word.at !== null) {
    const picture = document.createElement("span");
    picture.className = "thumbnail";
    const { width, height, ...style } = cell("library.png", word.at, columns, PICTURE_WIDTH);
    Object.assign(picture.style, style, { width: `${width}px`, height: `${height}px` });
    page.append(picture);
  }
  const says = document.createElement("div");
  for (const [tag, text] of [["b", word.name], ["code", word.signature], ["span", word.doc], ["code", word.example]]) {
    if (text) says.append(Object.assign(document.createElement(tag), { textContent: text }));
  }
  page.append(says);
  return page;
}

/** The word whose name is under the pointer. */
export function hovering(library: () => Library | null) {
  return hoverTooltip((view, at) => {
    const found = library();
    const place = view.state.wordAt(at);
    if (!found || !place) return null;
    const name = view.state.sliceDoc(place.from, place.to);
    // A name of the document is no word, whatever it is called.
    const dot = view.state.sliceDoc(Math.max(0, place.from - 1), place.from) === ".";
    const word = dot ? found.words.find((each) => each.name === name) : undefined;
    return word ? { pos: place.from, end: place.to, above: true, create: () => ({ dom: pageOf(found, word) }) } : null;
  });
}
