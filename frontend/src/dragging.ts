// What a hand drags: numbers in the text, all of a drag as one step of the history, no faster than the texts are read.

import type { Editor } from "./editor";
import type { Literal } from "./numbers";

/** Changes of a text, each after the one before was read: of those that a hand asks for meanwhile, only the last is made. */
export class Throttle {
  private readonly waiting = new Map<object, () => void>();
  private pending = false; // whether a change is not read yet

  /** `text` tells what changes are made of; it is another one after each. */
  constructor(private readonly text: () => unknown) {}

  /** Have a change made that a hand asks for; there may be several, where fingers slide. */
  request(hand: object, change: () => void): void {
    this.waiting.set(hand, change);
    if (!this.pending) this.flush();
  }

  /** Make the changes that wait now. */
  flush(): void {
    const [changes, before] = [[...this.waiting.values()], this.text()];
    this.waiting.clear();
    for (const change of changes) change();
    if (this.text() !== before) this.pending = true;
  }

  /** The text was read, or nobody is there to read it. */
  release(): void {
    this.pending = false;
    this.flush();
  }
}

/** Numbers in the hand. */
export class Drag {
  private readonly first: string[];
  private begun = false;

  constructor(private readonly editor: Editor, private literals: Literal[], private readonly what: string) {
    this.first = literals.map(({ text }) => text);
  }

  /** The numbers where they are now. */
  get now(): Literal[] {
    return this.literals;
  }

  /** Write other numbers in the places of those that are dragged; what is not there any longer is let be. */
  to(texts: string[]): void {
    this.editor.throttle.request(this, () => {
      // What is dragged goes on where it is, also if the text changes elsewhere.
      if (!this.begun && !this.literals.every((at) => this.editor.has(at))) return;
      const label = `${this.what}: ${this.first.join(", ")} → ${texts.join(", ")}`;
      const made = this.editor.setNumbers(this.literals, texts, label, !this.begun);
      if (made) [this.literals, this.begun] = [made, true];
    });
  }

  /** Let go: what the hand did last is written, and the next change is a step of its own. */
  end(): Literal[] {
    this.editor.throttle.flush();
    if (this.begun) this.editor.endStep();
    return this.literals;
  }
}
