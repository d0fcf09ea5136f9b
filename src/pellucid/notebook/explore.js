// The front end of `pellucid.explore`: asks the kernel for frames, and shows them.
//
// The front end sets the pace: at most two requests are without an answer, and what moves meanwhile is only remembered.
// So nothing is ever queued, and a browser tab that is closed stops all drawing.

const MAX_IN_FLIGHT = 2;
const REST_MS = 160; // without movement, after which an exact frame is asked for
const SILENT_MS = 5000; // without an answer, after which the kernel is said to be silent
const SLOW_MS = 90; // from request to frame: from here on frames have half the resolution
const QUICK_MS = 30; // and from here on the full one again
const STYLE = `
.pellucid { display: inline-block; font: 13px system-ui, sans-serif; max-width: 100%; }
.pellucid canvas { display: block; max-width: 100%; touch-action: none; cursor: grab; }
.pellucid canvas:active { cursor: grabbing; }
.pellucid label { display: grid; grid-template-columns: 8em 1fr 6em; gap: 0.6em; align-items: center; margin: 4px 0; }
.pellucid .bar { display: flex; gap: 1em; align-items: center; margin: 4px 0; min-height: 24px; }
.pellucid [role="alert"] { color: #b3261e; }
`;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function slider(name, low, high, value, moved) {
  const shown = element("output", { textContent: Number(value).toPrecision(4) });
  const handle = element("input", { type: "range", min: low, max: high, step: "any", value, name });
  handle.addEventListener("input", () => {
    shown.textContent = Number(handle.value).toPrecision(4);
    moved(Number(handle.value));
  });
  const set = (to) => {
    handle.value = to;
    shown.textContent = Number(to).toPrecision(4);
  };
  return { row: element("label", {}, name, handle, shown), set };
}

function render({ model, el }) {
  const setup = model.get("setup");
  const viewer = crypto.randomUUID ? crypto.randomUUID() : String(Math.random());
  const start = { center: [...setup.center], zoom: setup.zoom, time: setup.time };
  const view = { ...start, center: [...start.center], params: {} };
  for (const each of setup.params) view.params[each.name] = each.value;

  // ---- what is on the page ----

  const canvas = element("canvas", { width: setup.size[0], height: setup.size[1], tabIndex: 0 });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "picture: drag to move, wheel to zoom, 0 to begin again");
  const context = canvas.getContext("2d");
  const trouble = element("span", {});
  trouble.setAttribute("role", "alert");
  const rate = element("span", { className: "rate" });
  const bar = element("div", { className: "bar" });
  const root = element("div", { className: "pellucid" }, element("style", { textContent: STYLE }), canvas, bar);
  for (const each of setup.params) {
    const moved = (value) => ((view.params[each.name] = value), touch());
    root.append(slider(each.name, each.low, each.high, each.value, moved).row);
  }
  let time = null;
  let playing = false;
  const play = element("button", { textContent: "Play", type: "button" });
  if (setup.moves) {
    time = slider("time", 0, setup.seconds, view.time, (value) => ((view.time = value), touch()));
    root.append(time.row);
    bar.append(play);
  }
  bar.append(rate, trouble);
  el.append(root);

  // ---- requests and frames ----

  const waiting = new Map(); // when each request without an answer was sent, by its number
  let last = 0;
  let drawn = 0;
  let dirty = false;
  let scale = 1;
  let delay = 0;
  let resting = null;
  let times = [];

  function ask(exact) {
    const factor = exact ? 1 : scale;
    const size = [canvas.width, canvas.height].map((n) => Math.max(1, Math.round(n * factor)));
    const id = ++last;
    waiting.set(id, performance.now());
    const request = { viewer, id, exact, size, ...view, zoom: (view.zoom * size[0]) / canvas.width };
    try {
      model.send(request);
    } catch (error) {
      waiting.delete(id);
      trouble.textContent = `the kernel cannot be reached (${error}); run the cell again`;
    }
  }

  function pump() {
    if (dirty && waiting.size < MAX_IN_FLIGHT) {
      dirty = false;
      ask(false);
    }
  }

  function touch() {
    dirty = true;
    clearTimeout(resting);
    resting = setTimeout(rest, REST_MS);
    pump();
  }

  function rest() {
    if (playing) return;
    if (waiting.size) resting = setTimeout(rest, REST_MS);
    else ask(true);
  }

  async function paint(message, data) {
    if (message.format === "jpeg") {
      const bitmap = await createImageBitmap(new Blob([data], { type: "image/jpeg" }));
      if (message.id > drawn) context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      bitmap.close();
      return;
    }
    const bytes = new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength);
    const image = new ImageData(bytes, message.size[0], message.size[1]);
    if (message.id < drawn) return;
    if (message.size[0] === canvas.width && message.size[1] === canvas.height) {
      context.putImageData(image, 0, 0);
      return;
    }
    const small = element("canvas", { width: message.size[0], height: message.size[1] });
    small.getContext("2d").putImageData(image, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(small, 0, 0, canvas.width, canvas.height);
  }

  function count(now) {
    times = times.filter((each) => now - each < 1000);
    times.push(now);
    root.dataset.frames = String(drawn);
    root.dataset.rate = String(times.length);
    rate.textContent = playing ? `${times.length} fps` : "";
  }

  async function heard(message, buffers) {
    if (message.viewer !== viewer || !waiting.has(message.id)) return;
    const sent = waiting.get(message.id);
    if (message.kind === "frame") {
      await paint(message, buffers[0]);
      drawn = Math.max(drawn, message.id);
      root.dataset.exact = String(message.exact);
      trouble.textContent = "";
    } else {
      trouble.textContent = message.text;
    }
    waiting.delete(message.id);
    const now = performance.now();
    if (!message.exact) {
      delay = delay ? 0.8 * delay + 0.2 * (now - sent) : now - sent;
      if (delay > SLOW_MS && scale === 1) [scale, delay] = [0.5, 0];
      else if (delay && delay < QUICK_MS && scale < 1) [scale, delay] = [1, 0];
    }
    count(now);
    pump();
  }
  model.on("msg:custom", heard);

  const watch = setInterval(() => {
    const oldest = Math.min(...waiting.values());
    if (performance.now() - oldest > SILENT_MS) {
      trouble.textContent = "the kernel does not answer: it is busy, or gone; then run the cell again";
    }
  }, 1000);

  // ---- what a person does ----

  /** Where on the canvas an event is, in pixels from the middle, upwards. */
  function place(event) {
    const box = canvas.getBoundingClientRect();
    const ratio = canvas.width / box.width;
    const x = (event.clientX - box.left) * ratio - canvas.width / 2;
    return [x, canvas.height / 2 - (event.clientY - box.top) * ratio];
  }

  function moveBy(right, up) {
    view.center = [view.center[0] - right / view.zoom, view.center[1] - up / view.zoom];
    touch();
  }

  function zoomBy(factor, [right, up]) {
    const x = view.center[0] + right / view.zoom;
    const y = view.center[1] + up / view.zoom;
    view.zoom *= factor;
    view.center = [x - right / view.zoom, y - up / view.zoom];
    touch();
  }

  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held = place(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (held === null) return;
    const now = place(event);
    moveBy(now[0] - held[0], now[1] - held[1]);
    held = now;
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => (held = null));
  const wheel = (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    zoomBy(Math.exp(-0.0015 * lines * event.deltaY), place(event));
  };
  canvas.addEventListener("wheel", wheel, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = canvas.width / 10;
    const actions = {
      ArrowLeft: () => moveBy(step, 0),
      ArrowRight: () => moveBy(-step, 0),
      ArrowUp: () => moveBy(0, -step),
      ArrowDown: () => moveBy(0, step),
      "+": () => zoomBy(1.25, [0, 0]),
      "-": () => zoomBy(0.8, [0, 0]),
      0: () => (Object.assign(view, { center: [...start.center], zoom: start.zoom }), touch()),
      " ": () => setup.moves && play.click(),
    };
    if (!(event.key in actions)) return;
    // Notebooks have keys of their own.
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  });

  let before = null;
  function tick(now) {
    if (!playing) return;
    if (before !== null) view.time = (view.time + (now - before) / 1000) % setup.seconds;
    before = now;
    time.set(view.time);
    touch();
    requestAnimationFrame(tick);
  }
  play.addEventListener("click", () => {
    playing = !playing;
    play.textContent = playing ? "Pause" : "Play";
    before = null;
    if (playing) requestAnimationFrame(tick);
    else touch();
  });

  touch();
  return () => {
    playing = false;
    clearTimeout(resting);
    clearInterval(watch);
    model.off("msg:custom", heard);
  };
}

export default { render };
