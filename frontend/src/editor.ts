// The text pane: the one truth of the document. Whoever edits, edits here, so that there is one history for everything.

import { autocompletion, closeBrackets } from "@codemirror/autocomplete";
import { collab, getSyncedVersion, receiveUpdates, sendableUpdates } from "@codemirror/collab";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory, redo, undo } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { ChangeSet, Compartment, EditorState, Transaction } from "@codemirror/state";
import {
  drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

import { completions, hovering } from "./completing";
import { Drag, Throttle } from "./dragging";
import { dragged, named, Steps } from "./history";
import type { Library } from "./library";
import type { Message } from "./link";
import { like, type Literal, numbersOf, stepOf } from "./numbers";

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], color: "var(--code-keyword)" },
  { tag: [tags.number, tags.bool], color: "var(--code-number)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: "var(--code-call)" },
]);

/** Milliseconds within which what is typed at one place is one step of the history. */
const STEP_MS = 500;

/** Milliseconds that a step may take: eleven days, and less than the time since 1970, by which isolated steps are told apart. */
const MAX_GROUP_MS = 1e9;

/** Steps that can be undone: more than anybody counts. */
const MAX_STEPS = 10_000;

/** The history: a drag of a number is one step however long it takes, and typing is one for each pause. */
function steps() {
  let last = 0;
  return history({
    newGroupDelay: MAX_GROUP_MS,
    minDepth: MAX_STEPS,
    joinToEvent(change, adjacent) {
      const time = change.annotation(Transaction.time) ?? 0;
      const soon = time - last < STEP_MS;
      last = time;
      return change.annotation(dragged) || (adjacent && soon);
    },
  });
}

/**
 * Have the changes that wait for the server hold nothing but themselves. Their transactions hold states, which hold the
 * changes that waited then, and so on: all that was ever typed would stay in memory.
 */
function forgetOrigins(state: EditorState): void {
  for (const each of sendableUpdates(state) as readonly { origin: Transaction | null }[]) each.origin = null;
}

/** Pixels of a drag for one step of a number. */
const DRAG_PIXELS = 4;

export interface Told {
  changed(view: EditorView): void;
  push(version: number, updates: object[]): boolean;
}

/** A part of the text, in the places that it has before a change, and what is put there. */
export interface Replacement {
  start: number;
  end: number;
  text: string;
}

export class Editor {
  readonly view: EditorView;
  private readonly listeners = new Set<() => void>();
  /** The words that are completed, once they are there. */
  words: Library | null = null;
  private epoch = "";
  /** The history by the names of its steps. */
  readonly steps = new Steps();
  /** Has a hand change the text no faster than it is read. */
  readonly throttle = new Throttle(() => this.view.state.doc);
  private waiting = false;
  /** The text that was read last: that which the places of the tree are about. */
  private read: object | null = null;
  private readonly synced = new Compartment();
  private readonly client = crypto.randomUUID();

  constructor(parent: HTMLElement, private readonly told: Told) {
    this.view = new EditorView({ parent, state: this.state("", 0) });
  }

  private state(text: string, version: number): EditorState {
    return EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), steps(), closeBrackets(),
        bracketMatching(), autocompletion({ override: [completions(() => this.words)] }),
        hovering(() => this.words), search({ top: true }), lintGutter(), python(), syntaxHighlighting(colors),
        keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
        this.synced.of(collab({ startVersion: version, clientID: this.client })),
        EditorView.contentAttributes.of({ "aria-label": "Text of the picture" }),
        EditorView.lineWrapping,
        EditorView.updateListener.of((update) => {
          for (const each of update.transactions) this.steps.note(each);
          if (update.docChanged) {
            forgetOrigins(update.state);
            this.push();
            this.told.changed(this.view);
          }
          if (update.docChanged || update.selectionSet) this.tellSelection();
        }),
        EditorView.domEventHandlers({ mousedown: (event) => this.scrub(event) }),
      ],
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Take the document of the server, as it is after the page was loaded or the server came back. */
  take(message: Message): void {
    this.waiting = false;
    if (message.epoch === this.epoch) {
      this.push();
      return;
    }
    const mine = this.epoch ? this.text : null;
    this.epoch = message.epoch;
    if (mine === null) {
      this.view.setState(this.state(message.text, message.version));
      this.steps.clear();
      this.told.changed(this.view);
      this.tellSelection();
    } else {
      // The server was started again: what is here is newer, and stays. Nothing is handed over before both agree.
      this.waiting = true;
      const all = { from: 0, to: this.view.state.doc.length };
      this.view.dispatch({ changes: { ...all, insert: message.text }, annotations: Transaction.addToHistory.of(false) });
      this.view.dispatch({ effects: this.synced.reconfigure([]) });
      this.view.dispatch({
        effects: this.synced.reconfigure(collab({ startVersion: message.version, clientID: this.client })),
      });
      if (mine !== message.text) {
        this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: mine } });
      }
      this.waiting = false;
    }
    this.push();
  }

  /** Take updates of the server: those of other tabs, and the receipt of those of this one. */
  receive(message: Message): void {
    const version = getSyncedVersion(this.view.state);
    if (message.version > version) return;
    const fresh = message.updates.slice(version - message.version) as { changes: unknown; clientID: string }[];
    this.waiting = false;
    if (fresh.length) {
      const updates = fresh.map(({ changes, clientID }) => ({ changes: ChangeSet.fromJSON(changes), clientID }));
      this.view.dispatch(receiveUpdates(this.view.state, updates));
    }
    this.push();
  }

  get version(): number {
    return getSyncedVersion(this.view.state);
  }

  get document(): string {
    return this.epoch;
  }

  /** Hand over what is new here, unless an answer is awaited. */
  private push(): void {
    const updates = sendableUpdates(this.view.state);
    if (!updates.length || this.waiting || !this.epoch) return;
    this.waiting = this.told.push(
      this.version,
      updates.map(({ changes, clientID }) => ({ changes: changes.toJSON(), clientID })),
    );
  }

  lost(): void {
    this.waiting = false;
    this.throttle.release();
  }

  /** A version of the text was read, and whoever hears of it has heard it when the hand goes on. */
  reached(version: number): void {
    if (this.isAt(version)) queueMicrotask(() => this.throttle.release());
  }

  underline(problems: { from: number; to: number; message: string }[]): void {
    const end = this.view.state.doc.length;
    const found: Diagnostic[] = problems.map((each) => ({
      from: Math.min(each.from, end), to: Math.min(each.to, end), severity: "error", message: each.message,
    }));
    this.view.dispatch(setDiagnostics(this.view.state, found));
  }

  /** Put a number in the place of another, written as `as` is: a step of the history. */
  setNumber(at: Literal, value: number, what: string, as = at.text): Literal {
    const drag = new Drag(this, [at], what);
    drag.to([like(value, as)]);
    return drag.end()[0];
  }

  /** The tree is that of the text as it is now. */
  wasRead(): void {
    this.read = this.view.state.doc;
  }

  /** The number that stands at a place of the tree. */
  literal(from: number, to: number, value: number): Literal {
    return { from, to, value, text: this.view.state.sliceDoc(from, to), doc: this.read };
  }

  /** Whether a number is where it was found: in another text, its place may be that of anything. */
  has(at: Literal): boolean {
    return at.doc === this.view.state.doc;
  }

  /**
   * Put numbers in the place of others, all at once, as a part of the step of the history by that label, which `begins`
   * opens. Tells where they are, or null if one was not there any longer; then nothing is done.
   */
  setNumbers(all: Literal[], texts: string[], label: string, begins: boolean): Literal[] | null {
    if (all.some(({ from, to, text }) => this.view.state.sliceDoc(from, to) !== text)) return null;
    const changes = this.view.state.changes(all.map(({ from, to }, index) => ({ from, to, insert: texts[index] })));
    const annotations = [dragged.of(true), named.of(label), ...(begins ? [isolateHistory.of("before")] : [])];
    this.view.dispatch({ changes, annotations });
    return all.map((at, index) => {
      const [from, text] = [changes.mapPos(at.from, -1), texts[index]];
      return { from, to: from + text.length, value: Number(text), text, doc: this.view.state.doc };
    });
  }

  /** Put a text in the place of another, as a part of the step of the history that the change before it began. */
  setText(from: number, to: number, text: string): void {
    this.view.dispatch({ changes: { from, to, insert: text }, annotations: dragged.of(true) });
  }

  /** End a step of the history, so that the next change is one of its own. */
  endStep(): void {
    this.view.dispatch({ annotations: isolateHistory.of("full") });
  }

  /** Undo or do again, until so many steps are done. */
  goTo(step: number): void {
    while (this.steps.at > step && undo(this.view));
    while (this.steps.at < step && redo(this.view));
  }

  undo(): boolean {
    return undo(this.view);
  }

  redo(): boolean {
    return redo(this.view);
  }

  /** Hear of each change of the text and of its selection. */
  listen(heard: () => void): () => void {
    this.listeners.add(heard);
    return () => this.listeners.delete(heard);
  }

  private tellSelection(): void {
    for (const heard of this.listeners) heard();
  }

  get selection(): { from: number; to: number } {
    const { from, to } = this.view.state.selection.main;
    return { from, to };
  }

  select(from: number, to: number): void {
    const { main } = this.view.state.selection;
    if (main.from === from && main.to === to) return;
    this.view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "nearest" }) });
  }

  /** Whether the text is that of a version of the server: all changes from here are known there. */
  isAt(version: number): boolean {
    return this.version === version && !sendableUpdates(this.view.state).length;
  }

  /**
   * Make an edit as one step of the history by the name of its `label`, which what follows may go on with if it is `open`, and select what then
   * stands where `from` to `to` was; tells where that is.
   */
  replace(parts: Replacement[], from: number, to: number, open: boolean, label: string): [number, number] {
    const { state } = this.view;
    const changes = state.changes(parts.map(({ start, end, text }) => ({ from: start, to: end, insert: text })));
    const [anchor, head] = [changes.mapPos(from, -1), changes.mapPos(to, 1)];
    this.view.dispatch({ changes, selection: { anchor, head }, annotations: [named.of(label), isolateHistory.of(open ? "before" : "full")], scrollIntoView: true });
    return [anchor, head];
  }

  /** Drag a number with the Alt key held. */
  private scrub(event: MouseEvent): boolean {
    if (!event.altKey || event.button !== 0) return false;
    const at = this.view.posAtCoords({ x: event.clientX, y: event.clientY });
    if (at === null) return false;
    const line = this.view.state.doc.lineAt(at);
    const literal = numbersOf(line.text, line.from).find((each) => each.from <= at && at <= each.to);
    if (!literal) return false;
    event.preventDefault();
    const { value, text } = literal;
    const drag = new Drag(this, [{ ...literal, doc: this.view.state.doc }], "Slide");
    const move = (moved: MouseEvent) => {
      const steps = Math.round((moved.clientX - event.clientX) / DRAG_PIXELS);
      drag.to([like(value + steps * stepOf(text), text)]);
    };
    const end = () => {
      removeEventListener("mousemove", move);
      removeEventListener("mouseup", end);
      drag.end();
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", end);
    return true;
  }
}
