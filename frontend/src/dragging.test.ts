import { expect, test } from "vitest";

import { Drag, Throttle } from "./dragging";
import type { Editor } from "./editor";
import { like, moving, numbersOf, type Literal } from "./numbers";

/** A text of one line, its steps and its labels, as far as a hand knows an editor. */
class Line {
  made: string[] = [];
  ends = 0;
  readonly throttle = new Throttle(() => this.text);
  constructor(public text: string) {}
  has(at: Literal) {
    return this.text.slice(at.from, at.to) === at.text;
  }
  setNumbers(all: Literal[], texts: string[], label: string, begins: boolean) {
    if (!all.every((at) => this.has(at))) return null;
    this.text = all.reduceRight((text, at, k) => text.slice(0, at.from) + texts[k] + text.slice(at.to), this.text);
    this.made.push(`${begins ? "begin " : ""}${label}`);
    return all.map((at, k) => ({ ...at, to: at.from + texts[k].length, text: texts[k], value: Number(texts[k]) }));
  }
  endStep() {
    this.ends++;
  }
}

const held = (line: Line) => new Drag(line as unknown as Editor, numbersOf(line.text), "radius");

test("of what a hand does while a text is read, the last is written", () => {
  const line = new Line("im.disk(1)");
  const drag = held(line);
  for (const text of ["2", "3", "4"]) drag.to([text]);
  expect(line.text).toBe("im.disk(2)");
  line.throttle.release();
  expect(line.text).toBe("im.disk(4)");
  line.throttle.release();
  drag.to(["5"]);
  expect(line.made).toEqual(["begin radius: 1 → 2", "radius: 1 → 4", "radius: 1 → 5"]);
});

test("a hand that lets go waits for nothing", () => {
  const line = new Line("im.disk(1)");
  const drag = held(line);
  for (const text of ["2", "3"]) drag.to([text]);
  expect(drag.end()[0].text).toBe("3");
  expect([line.text, line.ends]).toEqual(["im.disk(3)", 1]);
  line.throttle.release();
  expect(line.made).toEqual(["begin radius: 1 → 2", "radius: 1 → 3"]);
});

test("what is not there any longer is let be", () => {
  const line = new Line("im.disk(1)");
  const drag = held(line);
  line.text = "im.star(5)";
  drag.to(["2"]);
  drag.end();
  expect([line.text, line.ends]).toEqual(["im.star(5)", 0]);
});

test("of two hands, each has its last change", () => {
  const [one, other] = [{}, {}];
  let [text, done] = ["a", ""];
  const throttle = new Throttle(() => text);
  throttle.request(one, () => (text = "b"));
  for (const [hand, name] of [[one, "c"], [other, "d"], [one, "e"]] as const) throttle.request(hand, () => (done += name));
  throttle.flush();
  expect(done).toBe("ed");
});

test("what changes nothing is not waited for", () => {
  let [text, reads] = ["a", 0];
  const [throttle, hand] = [new Throttle(() => text), {}];
  throttle.request(hand, () => reads++);
  throttle.request(hand, () => reads++);
  throttle.request(hand, () => ((text = "b"), reads++));
  throttle.request(hand, () => reads++);
  expect(reads).toBe(3);
});

test("a number that slides keeps two digits or more, and a whole one none", () => {
  expect([moving(0.12345, "0.6"), moving(0.12345, "0.6000"), moving(2.6, "5", true), moving(3, "1e3", true)]).toEqual(["0.12", "0.1235", "3", "3"]);
  expect([like(0.5, "1e-3"), like(2, "0.25")]).toEqual(["0.5", "2.00"]);
});
