// The steps of the history by their names. The history itself is that of the editor; this listens to what it does.

import { redoDepth, undoDepth } from "@codemirror/commands";
import { Annotation, Transaction } from "@codemirror/state";

/** What a change is called in the history. */
export const named = Annotation.define<string>();

/** Whether a hand drags what changes: it is a part of the step before, and nothing that is typed, which is completed. */
export const dragged = Annotation.define<true>();

const SHOWN_LETTERS = 28;

interface Step {
  label: string;
  /** What was typed in it, while it is only typed. */
  typed: string | null;
}

/** The text of a step that is typed, cut to one short line. */
function typing(what: string, text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (!line) return what === "Type" ? "Type a blank" : "Delete a blank";
  return `${what} “${line.length > SHOWN_LETTERS ? `${line.slice(0, SHOWN_LETTERS)}…` : line}”`;
}

export class Steps {
  private all: Step[] = [];
  /** How many of the steps are done; those behind were undone. */
  at = 0;

  get labels(): string[] {
    return this.all.map((each) => each.label);
  }

  /** Note what a change of the editor did to the history. */
  note(change: Transaction): void {
    const [before, after] = [undoDepth(change.startState), undoDepth(change.state)];
    if (change.isUserEvent("undo") || change.isUserEvent("redo")) {
      this.at = after;
    } else if (change.docChanged && change.annotation(Transaction.addToHistory) !== false) {
      const begun = after > before || (redoDepth(change.startState) > 0 && redoDepth(change.state) === 0) || !this.all.length;
      this.all.length = begun ? before : after;
      this.all[after - 1] = this.stepOf(change, begun ? null : (this.all[after - 1] ?? null));
      this.at = after;
    }
  }

  /** Forget all: the editor has another history. */
  clear(): void {
    this.all = [];
    this.at = 0;
  }

  private stepOf(change: Transaction, last: Step | null): Step {
    const label = change.annotation(named);
    if (label) return { label, typed: null };
    let [put, gone] = ["", ""];
    change.changes.iterChanges((from, to, _from, _to, inserted) => {
      put += inserted.toString();
      gone += change.startState.sliceDoc(from, to);
    });
    if (last && last.typed === null) return last;
    if (put) {
      const typed = (last?.typed ?? "") + put;
      return { label: typing("Type", typed), typed };
    }
    return last ?? { label: typing("Delete", gone), typed: "" };
  }
}
