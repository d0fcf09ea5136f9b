// The tree in the hands of a person: what is selected, which edits fit it, its small pictures, and how an edit is made.

import { useEffect, useMemo, useRef, useState } from "react";

import type { Editor, Replacement } from "./editor";
import type { Link, Message } from "./link";
import { EMPTY, nodeAt, nodeOf, type Tree } from "./tree";

/**
 * Milliseconds without a change after which small pictures are drawn: soon after a single change, and later while one
 * follows on another, as in a drag, of which they would take the time.
 */
const PICTURES_MS = { soon: 40, later: 250 };
/** Milliseconds after which edits are asked for. */
const OFFERS_MS = 60;
const NONE: Offer[] = [];

export interface Offer {
  edit: string;
  label: string;
  needs: Record<string, (string | number)[] | null>;
}

/** Where the small pictures of nodes are: a sheet of cells, in rows. */
export interface Thumbnails {
  url: string;
  columns: number;
  places: Map<number, number>;
}

export interface Editing {
  tree: Tree;
  /** Whether the tree is that of the text as it is; otherwise it is the last one that could be read. */
  fresh: boolean;
  selected: number | null;
  offers: Offer[];
  thumbnails: Thumbnails | null;
  select(id: number): void;
  /** Do something with the tree of the text as it is, at once or when that is read. */
  whenRead(each: (tree: Tree) => void): void;
  /** Make an edit of a node; what is awaited, such as the reading of the text, is awaited. */
  edit(node: number, edit: string, given: object, applied?: (from: number, to: number) => void): void;
}

interface Asked {
  number: number;
  node: number;
  applied?: (from: number, to: number) => void;
}

export function useEditing(link: Link, editor: Editor | null, told: (text: string) => void): Editing {
  const [tree, setTree] = useState(EMPTY);
  const [fresh, setFresh] = useState(false);
  const [selected, setSelected] = useState<number | null>(null);
  const [offers, setOffers] = useState({ node: -1, found: [] as Offer[] });
  const [thumbnails, setThumbnails] = useState<Thumbnails | null>(null);
  const now = useRef({ tree: EMPTY, version: -1, picked: null as number | null, waiting: [] as (() => void)[], asked: null as Asked | null, number: 0 });

  const made = useMemo(() => {
    const state = now.current;
    const current = () => editor !== null && editor.isAt(state.version);
    const whenRead = (each: (tree: Tree) => void) => {
      if (current()) each(state.tree);
      else state.waiting.push(() => each(state.tree));
    };
    const select = (id: number) => {
      const node = nodeOf(state.tree, id);
      if (!node || !editor) return;
      state.picked = id;
      setSelected(id);
      if (current()) editor.select(node.start, node.end);
      else whenRead(() => select(id));
    };
    const ask = (node: number, edit: string, given: object, applied?: Asked["applied"]) => {
      if (!current()) return whenRead(() => ask(node, edit, given, applied));
      state.asked = { number: ++state.number, node, applied };
      link.say({ kind: "edit", ask: state.number, version: state.version, node, edit, given });
    };
    /** What the selection of the text means, when it or the tree is another one. */
    const follow = () => {
      if (!editor || !current()) return;
      const { from, to } = editor.selection;
      const found = nodeAt(state.tree, editor.text, from, to, state.picked);
      state.picked = found;
      setSelected(found);
    };
    return { select, edit: ask, whenRead, current, follow };
  }, [link, editor]);

  useEffect(() => {
    const state = now.current;
    if (!editor) return;
    let pictures = 0;
    let changed = -Infinity;
    let drawing = false;
    let drawn = -1;
    const draw = (wait = PICTURES_MS.soon) => {
      clearTimeout(pictures);
      pictures = window.setTimeout(() => {
        if (drawing || drawn === state.version || !link.say({ kind: "thumbnails" })) return;
        drawing = true;
        drawn = state.version;
      }, wait);
    };
    const heard = (message: Message, data: DataView) => {
      switch (message.kind) {
        case "document":
          drawing = false;
          drawn = -1;
          state.asked = null;
          break;
        case "reading": {
          if (message.version !== editor.version || !message.tree) break;
          const read = message.tree as Tree;
          // A text that is no Python has no nodes: the last tree stays.
          const readable = message.ok || Object.keys(read.nodes).length > 0;
          if (readable) {
            state.tree = read;
            state.version = message.version;
            setTree(read);
          }
          setFresh(made.current());
          if (!made.current()) {
            // What waits goes on waiting while changes are on their way: the text is read again with them.
            if (!readable && editor.isAt(message.version) && state.waiting.splice(0).length) told("Mend the text first.");
            break;
          }
          editor.wasRead();
          made.follow();
          const now = performance.now();
          draw(now - changed < PICTURES_MS.later ? PICTURES_MS.later : PICTURES_MS.soon);
          changed = now;
          for (const each of state.waiting.splice(0)) each();
          break;
        }
        case "offers":
          if (message.version === state.version && message.node === state.picked) setOffers({ node: message.node, found: message.offers });
          break;
        case "edit": {
          const asked = state.asked;
          if (message.ask !== asked?.number) break;
          state.asked = null;
          const node = nodeOf(state.tree, asked!.node);
          if (!made.current() || !node) {
            told("The text has changed meanwhile; try again.");
            break;
          }
          const [from, to] = editor.replace(message.replacements as Replacement[], node.start, node.end, !!asked!.applied, message.label);
          asked!.applied?.(from, to);
          break;
        }
        case "refused":
          if (message.ask === undefined || message.ask === state.asked?.number) told(message.text);
          break;
        case "thumbnails": {
          drawing = false;
          const url = data.byteLength ? URL.createObjectURL(new Blob([data as DataView<ArrayBuffer>], { type: "image/png" })) : "";
          const places = new Map((message.nodes as number[]).map((id, index) => [id, index]));
          setThumbnails({ url, columns: message.columns, places });
          draw();
          break;
        }
      }
    };
    const stops = [link.listen(heard), editor.listen(() => (setFresh(made.current()), made.follow()))];
    return () => {
      clearTimeout(pictures);
      for (const stop of stops) stop();
    };
  }, [link, editor, made]);

  useEffect(() => () => URL.revokeObjectURL(thumbnails?.url ?? ""), [thumbnails]);

  useEffect(() => {
    if (selected === null || !fresh) return;
    const { version } = now.current;
    const timer = setTimeout(() => link.say({ kind: "offers", ask: "offers", version, node: selected }), OFFERS_MS);
    return () => clearTimeout(timer);
  }, [link, selected, tree, fresh]);

  const shown = offers.node === selected ? offers.found : NONE;
  return useMemo(
    () => ({ tree, fresh, selected, offers: shown, thumbnails, select: made.select, edit: made.edit, whenRead: made.whenRead }),
    [tree, fresh, selected, shown, thumbnails, made],
  );
}
