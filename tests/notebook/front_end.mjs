// Tests of the front end of `pellucid.explore` on a page, a clock and a kernel that are only as real as they must be.
//
// Run by test_front_end.py.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import explorer from "../../src/pellucid/notebook/explore.js";

// ---- a page and a clock ----

class Element {
  constructor(tag) {
    Object.assign(this, { tag, style: {}, dataset: {}, children: [], listeners: {}, attributes: {}, painted: [] });
  }
  append(...children) {
    for (const each of children) Object.assign(each, { parent: this });
    this.children.push(...children);
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  addEventListener(name, heard) {
    (this.listeners[name] ??= []).push(heard);
  }
  /** Send an event here, and on to the elements around as long as nobody stops it; tells how far it came. */
  send(name, properties = {}) {
    const event = { target: this, deltaMode: 0, button: 0, pointerId: 1, ...properties };
    event.preventDefault = () => (event.prevented = true);
    event.stopPropagation = () => (event.stopped = true);
    for (let each = this; each && !event.stopped; each = each.parent) {
      for (const heard of each.listeners[name] ?? []) heard(event);
    }
    return event;
  }
  click() {
    this.send("click");
  }
  setPointerCapture() {}
  getBoundingClientRect() {
    return { left: 0, top: 0, width: this.clientWidth, height: (this.clientWidth * this.height) / this.width };
  }
  getContext() {
    const noted = (what) => this.painted.push(what);
    // The pixels of each row hold a fourth of its number.
    const getImageData = (_, y, width, height) => {
      const number = (_, i) => Math.floor((y + Math.floor(i / (4 * width))) / 4);
      const data = Uint8ClampedArray.from({ length: 4 * width * height }, number);
      return { width, height, data };
    };
    const putImageData = (image) => {
      this.image = image;
      noted("exact");
    };
    return { drawImage: () => noted("drawn"), putImageData, getImageData, clearRect() {} };
  }
  find(wanted) {
    if (wanted(this)) return this;
    return this.children.map((each) => each.find(wanted)).find(Boolean);
  }
}

let now, timers, frames, observers, broken;

function wait(milliseconds) {
  const end = now + milliseconds;
  for (;;) {
    const due = timers.filter((each) => each.at <= end).sort((a, b) => a.at - b.at)[0];
    if (!due) break;
    now = due.at;
    if (due.every) due.at += due.every;
    else timers = timers.filter((each) => each !== due);
    due.call();
  }
  now = end;
}

/** What a screen does about sixty times a second. */
function shown(count = 1) {
  for (; count > 0; count--) {
    wait(16);
    frames.splice(0).forEach((call) => call(now));
  }
}

function timer(call, after, every) {
  const made = { call, at: now + after, every };
  timers.push(made);
  return made;
}

const observer = (kind) =>
  class {
    constructor(call) {
      observers[kind] = call;
    }
    observe() {}
    disconnect() {}
  };

beforeEach(() => {
  [now, timers, frames, observers, broken] = [1000, [], [], {}, false];
  const set = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  set("document", { createElement: (name) => new Element(name) });
  set("performance", { now: () => now });
  set("setTimeout", (call, after) => timer(call, after));
  set("setInterval", (call, every) => timer(call, every, every));
  set("clearTimeout", (which) => (timers = timers.filter((each) => each !== which)));
  set("clearInterval", globalThis.clearTimeout);
  set("requestAnimationFrame", (call) => frames.push(call));
  set("ResizeObserver", observer("size"));
  set("IntersectionObserver", observer("place"));
  set("window", { devicePixelRatio: 1, addEventListener() {}, removeEventListener() {} });
  set("ImageData", class {
    constructor(data, width, height) {
      Object.assign(this, { data, width, height });
    }
  });
  set("createImageBitmap", async () => {
    if (broken) throw new Error("no picture");
    return { width: 400, height: 600, close() {} };
  });
});

// ---- a kernel, and a live view of it ----

function view(changed = {}) {
  const home = { center: [0, 0], zoom: 1 };
  const setup = { size: [400, 300], ...home, home, time: 0, seconds: 10, moves: true, params: [], ...changed };
  const sent = [];
  const kernel = { alive: true };
  let heard;
  const model = {
    get: () => setup,
    on: (_, call) => (heard = call),
    off: () => (heard = null),
    send(request) {
      if (!kernel.alive) throw new Error("Cannot send");
      sent.push(request);
    },
  };
  const el = new Element("cell");
  const end = explorer.render({ model, el });
  const root = el.children[0];
  const canvas = root.find((each) => each.tag === "canvas");
  canvas.clientWidth = setup.size[0];
  const answer = async (request, more = {}) => {
    const { viewer, id, exact, size } = request;
    const data = new DataView(new ArrayBuffer(4));
    await heard({ viewer, id, exact, size, kind: "frame", format: exact ? "raw" : "jpeg", ...more }, [data]);
  };
  return {
    el, root, canvas, sent, kernel, end, answer,
    play: root.find((each) => each.tag === "button"),
    alert: () => root.find((each) => each.attributes.role === "alert").textContent,
    open: async () => {
      // The first frame, and the exact one at rest.
      await answer(sent[0]);
      wait(200);
      await answer(sent[1]);
      return sent.splice(0);
    },
  };
}

const drag = (canvas, ...places) => {
  canvas.send("pointerdown", { clientX: places[0][0], clientY: places[0][1] });
  for (const [clientX, clientY] of places.slice(1)) canvas.send("pointermove", { clientX, clientY });
  canvas.send("pointerup");
};

test("a frame comes at once, and an exact one at rest", async () => {
  const requests = await view().open();
  assert.deepEqual(requests.map((each) => each.exact), [false, true]);
});

test("at most two requests are without an answer, and nothing is queued", async () => {
  const { canvas, sent, answer, open } = view();
  await open();
  drag(canvas, ...Array.from({ length: 50 }, (_, i) => [i, 0]));
  assert.equal(sent.length, 2);
  await answer(sent[0]);
  assert.equal(sent.length, 3);
  assert.deepEqual(sent[2].center, [-49, 0]);
});

test("the lower half of a frame that is not opaque says how opaque the upper half is", async () => {
  const { canvas, sent, answer } = view();
  await answer(sent[0], { format: "masked" });
  const { width, height, data } = canvas.image;
  assert.deepEqual([width, height], [400, 300]);
  assert.deepEqual([...data.slice(0, 4)], [0, 0, 0, 75]);
  assert.deepEqual([...data.slice(-4)], [74, 74, 74, 149]);
});

test("a wheel leaves the point under it where it is", async () => {
  const { canvas, sent, open } = view();
  await open();
  canvas.send("wheel", { clientX: 300, clientY: 100, deltaY: -400 });
  const [{ center, zoom }] = sent;
  assert.ok(zoom > 1.5);
  assert.ok(Math.abs(center[0] + 100 / zoom - 100) < 1e-9);
  assert.ok(Math.abs(center[1] + 50 / zoom - 50) < 1e-9);
});

test("nobody zooms out of the numbers", async () => {
  const { canvas, sent, answer, open } = view();
  await open();
  for (let i = 0; i < 50; i++) canvas.send("wheel", { clientX: 0, clientY: 0, deltaY: -1e6 });
  await answer(sent[0]);
  assert.ok(Number.isFinite(sent.at(-1).zoom));
  assert.ok(sent.at(-1).center.every(Number.isFinite));
});

test("two fingers zoom about their middle, and a second finger does not make the picture jump", async () => {
  const { canvas, sent, answer, open } = view();
  await open();
  canvas.send("pointerdown", { clientX: 100, clientY: 150, pointerId: 1 });
  canvas.send("pointerdown", { clientX: 300, clientY: 150, pointerId: 2 });
  canvas.send("pointermove", { clientX: 100, clientY: 150, pointerId: 1 });
  assert.deepEqual(sent[0].center, [0, 0]);
  canvas.send("pointermove", { clientX: 50, clientY: 150, pointerId: 1 });
  canvas.send("pointermove", { clientX: 350, clientY: 150, pointerId: 2 });
  for (let i = 0; i < sent.length; i++) await answer(sent[i]);
  assert.ok(Math.abs(sent.at(-1).zoom - 1.5) < 1e-9);
  assert.ok(Math.hypot(...sent.at(-1).center) < 1e-9);
});

test("the button of the context menu does not hold the picture", async () => {
  const { canvas, sent, open } = view();
  await open();
  canvas.send("pointerdown", { clientX: 0, clientY: 0, button: 2 });
  canvas.send("pointermove", { clientX: 50, clientY: 50 });
  assert.equal(sent.length, 0);
});

test("keys for the picture and for controls do not reach the notebook, and others do", async () => {
  const params = [{ name: "twist", low: 0, high: 1, value: 0.5 }];
  const { el, root, canvas, play, open } = view({ params });
  await open();
  const reached = [];
  el.addEventListener("keydown", (event) => reached.push(event.key));
  const handle = root.find((each) => each.tag === "input" && each.type === "range");
  for (const key of ["0", "ArrowDown", "+", " "]) assert.ok(canvas.send("keydown", { key }).prevented);
  // The slider moves by its own keys.
  for (const key of ["ArrowDown", "Home"]) assert.ok(!handle.send("keydown", { key }).prevented);
  assert.ok(handle.send("keydown", { key: "0" }).prevented);
  assert.ok(!play.send("keydown", { key: "Enter" }).prevented);
  assert.deepEqual(reached, []);
  canvas.send("keydown", { key: "0", ctrlKey: true });
  canvas.send("keydown", { key: "Escape" });
  play.send("keydown", { key: "Enter", shiftKey: true });
  assert.deepEqual(reached, ["0", "Escape", "Enter"]);
});

test("0 begins again where the first view was, also on a page that was loaded again", async () => {
  const { canvas, sent, open } = view({ center: [5, 6], zoom: 7 });
  const [first] = await open();
  assert.deepEqual([first.center, first.zoom], [[5, 6], 7]);
  canvas.send("keydown", { key: "0" });
  assert.deepEqual([sent[0].center, sent[0].zoom], [[0, 0], 1]);
});

test("a kernel that is gone is told, and stops what plays", async () => {
  const { canvas, play, kernel, answer, sent, alert, open } = view();
  await open();
  play.click();
  shown(3);
  assert.equal(play.textContent, "Pause");
  kernel.alive = false;
  await answer(sent[0]);
  assert.match(alert(), /the kernel is gone: run the cell again/);
  assert.equal(play.textContent, "Play");
  // One that is back, as after a lost connection, is used.
  kernel.alive = true;
  const before = sent.length;
  canvas.send("keydown", { key: "+" });
  assert.equal(sent.length, before + 1);
});

test("a silent kernel is told, asked again seldom, and heard when it answers", async () => {
  const { canvas, sent, answer, alert, open } = view();
  await open();
  const move = () => canvas.send("keydown", { key: "ArrowUp" });
  for (let second = 0; second < 600; second++) {
    move();
    wait(1000);
  }
  assert.match(alert(), /does not answer/);
  assert.ok(sent.length > 4 && sent.length < 20, `${sent.length} requests in ten minutes`);
  await answer(sent.at(-2));
  assert.equal(alert(), "");
});

test("a frame that cannot be shown is told, and the next one comes", async () => {
  const { canvas, sent, answer, alert, open } = view();
  await open();
  broken = true;
  canvas.send("keydown", { key: "+" });
  await answer(sent[0]);
  assert.match(alert(), /cannot be shown/);
  broken = false;
  canvas.send("keydown", { key: "+" });
  await answer(sent[1]);
  assert.equal(alert(), "");
});

test("trouble is told in words until there is a frame", async () => {
  const { canvas, sent, answer, alert, open } = view();
  await open();
  canvas.send("keydown", { key: "+" });
  await answer(sent[0], { kind: "trouble", text: "zoom: no" });
  assert.equal(alert(), "zoom: no");
  canvas.send("keydown", { key: "+" });
  await answer(sent[1]);
  assert.equal(alert(), "");
});

test("a screen with more pixels gets more pixels of the same view", async () => {
  const { canvas, sent, open } = view();
  await open();
  window.devicePixelRatio = 2;
  observers.size();
  assert.deepEqual([canvas.width, canvas.height], [800, 600]);
  assert.deepEqual([sent[0].size, sent[0].zoom], [[800, 600], 1]);
  drag(canvas, [100, 100], [130, 100]);
  wait(200);
  assert.deepEqual(sent.at(-1).center, [-30, 0]);
});

test("in a narrow cell the picture is smaller, and a drag goes as far as the pointer", async () => {
  const { canvas, sent, open } = view();
  await open();
  canvas.clientWidth = 200;
  observers.size();
  assert.deepEqual(sent[0].size, [200, 150]);
  drag(canvas, [0, 0], [20, 0]);
  assert.deepEqual(sent[1].center, [-40, 0]);
});

test("a folded cell keeps its pixels, and what plays in it asks for nothing", async () => {
  const { canvas, play, sent, answer, open } = view();
  await open();
  canvas.clientWidth = 0;
  observers.size();
  assert.equal(canvas.width, 400);
  play.click();
  await answer(sent[0]);
  observers.place([{ isIntersecting: false }]);
  shown(100);
  assert.ok(sent.length <= 2);
  for (const each of [...sent]) await answer(each);
  const before = sent.length;
  observers.place([{ isIntersecting: true }]);
  assert.equal(sent.length, before + 1);
  assert.ok(sent.at(-1).time > 1.5);
});

test("slow frames get fewer pixels, and never fewer than help", async () => {
  const { canvas, sent, answer, open } = view();
  await open();
  for (let i = 0; i < 20; i++) {
    canvas.send("keydown", { key: "ArrowUp" });
    wait(120);
    await answer(sent.at(-1));
  }
  assert.deepEqual(sent.at(-1).size, [200, 150]);
  for (let i = 0; i < 20; i++) {
    canvas.send("keydown", { key: "ArrowUp" });
    wait(5);
    await answer(sent.at(-1));
  }
  assert.deepEqual(sent.at(-1).size, [400, 300]);
});

test("two views of one widget do not take each other's frames", async () => {
  const { canvas, sent, answer, open } = view();
  await open();
  canvas.send("keydown", { key: "+" });
  await answer({ ...sent[0], viewer: "another" });
  wait(500);
  assert.equal(sent.filter((each) => each.exact).length, 0);
});

test("whoever leaves says so, once, and asks for nothing any more", async () => {
  const { play, sent, end, kernel, open } = view();
  await open();
  play.click();
  end();
  shown(10);
  wait(10000);
  assert.deepEqual(sent.map((each) => each.kind), ["frame", "leave"]);
  const other = view();
  other.kernel.alive = false;
  other.end();
});
