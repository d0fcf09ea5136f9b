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
import type { Library } from "./library";
import type { Message } from "./link";
import { type Literal, numbersOf, stepOf, written } from "./numbers";

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], color: "var(--code-keyword)" },
  { tag: [tags.number, tags.bool], color: "var(--code-number)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: "var(--code-call)" },
]);

/** Milliseconds within which what is typed at one place is one step of the history. */
const STEP_MS = 500;

/** The history: a drag of a number is one step however long it takes, and typing is one for each pause. */
function steps() {
  let last = 0;
  return history({
    newGroupDelay: Number.MAX_SAFE_INTEGER,
    joinToEvent(change, adjacent) {
      const time = change.annotation(Transaction.time) ?? 0;
      const soon = time - last < STEP_MS;
      last = time;
      return change.isUserEvent("input.type.number") || (adjacent && soon);
    },
  });
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
  private waiting = false;
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
          if (update.docChanged) {
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
  }

  underline(problems: { from: number; to: number; message: string }[]): void {
    const end = this.view.state.doc.length;
    const found: Diagnostic[] = problems.map((each) => ({
      from: Math.min(each.from, end), to: Math.min(each.to, end), severity: "error", message: each.message,
    }));
    this.view.dispatch(setDiagnostics(this.view.state, found));
  }

  /**
   * Put a number in the place of another, written as `like` is. All of a drag is one step of the history, which `begins`
   * opens.
   */
  setNumber(at: Literal, value: number, begins: boolean, like = at.text): Literal {
    const text = /e/i.test(like) ? String(value) : written(value, like);
    if (this.view.state.sliceDoc(at.from, at.to) !== at.text) return at;
    this.view.dispatch({
      changes: { from: at.from, to: at.to, insert: text },
      userEvent: "input.type.number",
      annotations: begins ? isolateHistory.of("before") : [],
    });
    return { from: at.from, to: at.from + text.length, value: Number(text), text };
  }

  /** Put a text in the place of another, as a part of the step of the history that the change before it began. */
  setText(from: number, to: number, text: string): void {
    this.view.dispatch({ changes: { from, to, insert: text }, userEvent: "input.type.number" });
  }

  /** End a step of the history, so that the next change is one of its own. */
  endStep(): void {
    this.view.dispatch({ annotations: isolateHistory.of("full") });
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
   * Make an edit as one step of the history, which what follows may go on with if it is `open`, and select what then
   * stands where `from` to `to` was; tells where that is.
   */
  replace(parts: Replacement[], from: number, to: number, open: boolean): [number, number] {
    const { state } = this.view;
    const changes = state.changes(parts.map(({ start, end, text }) => ({ from: start, to: end, insert: text })));
    const [anchor, head] = [changes.mapPos(from, -1), changes.mapPos(to, 1)];
    this.view.dispatch({ changes, selection: { anchor, head }, annotations: isolateHistory.of(open ? "before" : "full"), scrollIntoView: true });
    return [anchor, head];
  }

  /** Drag a number with the Alt key held. */
  private scrub(event: MouseEvent): boolean {
    if (!event.altKey || event.button !== 0) return false;
    const at = this.view.posAtCoords({ x: event.clientX, y: event.clientY });
    if (at === null) return false;
    const line = this.view.state.doc.lineAt(at);
    let literal = numbersOf(line.text, line.from).find((each) => each.from <= at && at <= each.to);
    if (!literal) return false;
    event.preventDefault();
    const { value, text } = literal;
    let begins = true;
    const move = (moved: MouseEvent) => {
      const steps = Math.round((moved.clientX - event.clientX) / DRAG_PIXELS);
      literal = this.setNumber(literal!, value + steps * stepOf(text), begins);
      begins = false;
    };
    const end = () => {
      removeEventListener("mousemove", move);
      removeEventListener("mouseup", end);
      this.endStep();
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", end);
    return true;
  }
}
