// The words of the library with their pictures, which the page asks for once, when somebody looks for a word.

import type { Command } from "./commands";

export interface Word {
  name: string;
  sort: string;
  kind: string;
  doc: string;
  signature: string;
  example: string;
  family: string;
  /** What it takes, in order, and the name of what its method is called on. */
  takes: { name: string; expected: string; many: boolean }[];
  receiver: string | null;
  /** A document that shows the word alone, if its example is a picture. */
  start: string | null;
  /** The place of its picture in the sheet. */
  at: number | null;
}

export interface Library {
  words: Word[];
  columns: number;
  /** The names of words that fit where a kind is expected, by that kind. */
  fits: Record<string, string[]>;
}

export async function library(): Promise<Library> {
  const found = await fetch("library");
  if (!found.ok) throw new Error("the library did not come");
  return (await found.json()) as Library;
}

/** Where a cell of a sheet is, as the background of a box of `width` pixels. */
export function cell(url: string, at: number, columns: number, width: number, shape = 4 / 3): React.CSSProperties {
  const height = width / shape;
  const [column, row] = [at % columns, Math.floor(at / columns)];
  return {
    width, height, backgroundImage: `url("${url}")`, backgroundSize: `${columns * width}px auto`,
    backgroundPosition: `${-column * width}px ${-row * height}px`,
  };
}

const PICTURE_WIDTH = 64;

/** What a palette needs of a word before the library is there. */
const BARE = { kind: "", doc: "", at: null };

/**
 * Words as what can be chosen from a palette, those with pictures first: those that are `named`, or all that a picture
 * begins with. Names can be chosen before the library is there.
 */
export function choices(found: Library | null, named: string[] | null, run: (name: string, word: Word | null) => void): Command[] {
  const known = new Map(found?.words.map((each) => [each.name, each]));
  const names = named ?? found?.words.filter((each) => each.start !== null).map((each) => each.name) ?? [];
  const all = names.map((name) => ({ name, word: known.get(name) ?? null }));
  const shown = (each: { word: Word | null }) => each.word !== null && each.word.at !== null;
  return [...all.filter(shown), ...all.filter((each) => !shown(each))].map(({ name, word }) => {
    const { kind, doc, at } = word ?? BARE;
    const swatch = kind === "color" ? { width: PICTURE_WIDTH, height: (PICTURE_WIDTH * 3) / 4, background: name } : undefined;
    const picture = at !== null ? cell("library.png", at, found!.columns, PICTURE_WIDTH) : swatch;
    return { name, keys: kind, about: doc, picture, run: () => run(name, word) };
  });
}
