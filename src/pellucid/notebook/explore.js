// The front end of `pellucid.explore`, and the picture on the page of the studio: asks for frames, and shows them.
//
// The front end sets the pace: at most two requests are without an answer, and what moves meanwhile is only remembered.
// So nothing is ever queued, and a browser tab that is closed or hidden stops all drawing.

const MAX_IN_FLIGHT = 2;
const REST_MS = 160; // without movement, after which an exact frame is asked for
const SILENT_MS = 5000; // without an answer, after which the kernel is said to be silent
const SLOW_MS = 90; // from request to frame: from here on frames have half the resolution
const QUICK_MS = 20; // and from here on twice the resolution, which takes at most four times as long, so not too long
const MIN_PIXELS = 128 * 128; // of a frame: what takes long for fewer is not the drawing
const MAX_ZOOM = 1e30; // and its inverse the least: what positions in single precision still hold
const LINE_PIXELS = 16; // of a wheel that counts lines, as browsers scroll by them
const OWN_KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]; // of sliders
const HELP =
  "picture: drag or use the arrow keys to move, wheel, pinch, plus or minus to zoom, 0 to begin again, space to play";
const STYLE = `
.pellucid { display: inline-block; font: 13px system-ui, sans-serif; max-width: 100%; }
.pellucid canvas { display: block; max-width: 100%; height: auto; touch-action: none; cursor: grab; }
.pellucid canvas:active { cursor: grabbing; }
.pellucid label { display: grid; grid-template-columns: minmax(3em, 8em) minmax(4em, 1fr) 5em; gap: 0.6em; align-items: center; margin: 4px 0; }
.pellucid label > span { overflow-wrap: anywhere; }
.pellucid input { min-width: 0; }
.pellucid .bar { display: flex; gap: 1em; align-items: center; margin: 4px 0; min-height: 24px; }
.pellucid [role="alert"] { color: #b3261e; background: #fff; }
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
  return { row: element("label", {}, element("span", { textContent: name }), handle, shown), set };
}

/**
 * The live view of a picture; with `fills`, it is as large as the element that it is put into, otherwise as set up.
 * What draws is named as `source`, and `cure` says what to do when it is gone. Whoever lays something over the picture, or
 * has a timeline of its own instead of the slider (`timed` is false), is told by `looked` of each change of the view.
 */
export function viewer({
  model, el, fills = false, source = "the kernel", cure = "run the cell again", looked = () => {}, timed = true,
}) {
  const setup = model.get("setup");
  const viewer = crypto.randomUUID ? crypto.randomUUID() : String(Math.random());
  // The zoom is in pixels of the view, for each of which the canvas may have more or fewer.
  const view = { center: [...setup.center], zoom: setup.zoom, time: setup.time, params: {} };
  for (const each of setup.params) view.params[each.name] = each.value;

  // ---- what is on the page ----

  const width = setup.size[0];
  let height = setup.size[1];
  const canvas = element("canvas", { width, height, tabIndex: 0 });
  canvas.style.width = fills ? "100%" : `${width}px`;
  if (fills) canvas.style.height = "100%";
  else canvas.style.aspectRatio = `${width} / ${height}`;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", HELP);
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
  let visible = true;
  const play = element("button", { textContent: "Play", type: "button" });
  let moves = false;
  /** How time passes while the picture plays: how long a round is, how fast, and whether another one follows. */
  const clock = { seconds: setup.seconds, speed: 1, loops: true };
  /** Whether there is a time to play: then the slider and the button are there, from the first time on. */
  function setMoves(to) {
    moves = to;
    if (moves && timed && !time) {
      time = slider("time", 0, clock.seconds, view.time, (value) => ((view.time = value), touch()));
      root.append(time.row);
      bar.append(play);
    }
    if (time) play.hidden = time.row.hidden = !moves;
    if (!moves) setPlaying(false);
  }
  setMoves(setup.moves);
  bar.append(rate, trouble);
  el.append(root);

  // ---- requests and frames ----

  const waiting = new Map(); // when each request without an answer was sent, by its number
  let last = 0;
  let drawn = 0;
  let dirty = false;
  let scale = 1;
  let delay = 0;
  let patience = SILENT_MS;
  let resting = null;
  let times = [];

  function ask(exact) {
    const factor = exact ? 1 : scale;
    const size = [canvas.width, canvas.height].map((n) => Math.max(1, Math.round(n * factor)));
    const id = ++last;
    waiting.set(id, performance.now());
    const request = { kind: "frame", viewer, id, exact, size, ...view };
    try {
      model.send(request);
    } catch (error) {
      waiting.delete(id);
      setPlaying(false);
      trouble.textContent = `${source} is gone: ${cure}`;
    }
  }

  /** Whether the kernel owes an answer for longer than it may. */
  function silent() {
    return waiting.size > 0 && performance.now() - Math.min(...waiting.values()) > patience;
  }

  /** Answers may be lost with a connection: then ask again, each time after twice as long, for the kernel may be busy. */
  function giveUpLost() {
    if (!silent()) return;
    waiting.clear();
    patience *= 2;
  }

  /** Await no answers any longer, because the connection that would bring them is another one. */
  function forget() {
    waiting.clear();
    patience = SILENT_MS;
    touch();
  }

  function pump() {
    giveUpLost();
    if (dirty && waiting.size < MAX_IN_FLIGHT) {
      dirty = false;
      ask(false);
    }
  }

  function touch() {
    looked();
    dirty = true;
    clearTimeout(resting);
    resting = setTimeout(rest, REST_MS);
    pump();
  }

  function rest() {
    if (playing) return;
    giveUpLost();
    if (waiting.size) resting = setTimeout(rest, REST_MS);
    else ask(true);
  }

  /** The pixels of a picture whose lower half says how opaque the upper half is. */
  function unmasked(bitmap) {
    const [across, down] = [bitmap.width, bitmap.height / 2];
    const both = element("canvas", { width: across, height: 2 * down }).getContext("2d", { willReadFrequently: true });
    both.drawImage(bitmap, 0, 0);
    const image = both.getImageData(0, 0, across, down);
    const alpha = both.getImageData(0, down, across, down).data;
    for (let i = 0; i < alpha.length; i += 4) image.data[i + 3] = alpha[i];
    return image;
  }

  async function paint(message, data) {
    let image;
    if (message.format === "raw") {
      const bytes = new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength);
      image = new ImageData(bytes, message.size[0], message.size[1]);
    } else {
      const bitmap = await createImageBitmap(new Blob([data], { type: "image/jpeg" }));
      if (message.format === "masked") image = unmasked(bitmap);
      else if (message.id > drawn) context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      bitmap.close();
    }
    if (!image || message.id < drawn) return;
    if (image.width === canvas.width && image.height === canvas.height) {
      context.putImageData(image, 0, 0);
      return;
    }
    const small = element("canvas", { width: image.width, height: image.height });
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
    if (message.viewer !== viewer || message.id <= drawn) return;
    const sent = waiting.get(message.id);
    try {
      if (message.kind === "frame") {
        await paint(message, buffers[0]);
        drawn = Math.max(drawn, message.id);
        root.dataset.exact = String(message.exact);
        trouble.textContent = "";
      } else {
        trouble.textContent = message.text;
      }
    } catch (error) {
      trouble.textContent = `a frame cannot be shown (${error})`;
    }
    waiting.delete(message.id);
    patience = SILENT_MS;
    const now = performance.now();
    if (!message.exact && sent !== undefined) {
      delay = delay ? 0.8 * delay + 0.2 * (now - sent) : now - sent;
      const fewer = (canvas.width * canvas.height * scale ** 2) / 4;
      if (delay > SLOW_MS && fewer >= MIN_PIXELS) [scale, delay] = [scale / 2, 0];
      else if (delay < QUICK_MS && scale < 1) [scale, delay] = [scale * 2, 0];
    }
    count(now);
    pump();
  }
  model.on("msg:custom", heard);

  const watch = setInterval(() => {
    if (silent()) trouble.textContent = `${source} does not answer: it is busy, or gone; then ${cure}`;
  }, 1000);

  // ---- where the picture is on the screen ----

  /** Give the canvas as many pixels as the screen has where it is shown. */
  function fit() {
    const shown = canvas.clientWidth;
    if (!shown) return;
    if (fills) height = (width * canvas.clientHeight) / shown;
    const across = Math.max(1, Math.round(shown * (window.devicePixelRatio || 1)));
    const down = Math.max(1, Math.round((across * height) / width));
    if (across === canvas.width && down === canvas.height) return;
    // A canvas that gets another size is empty; until the next frame it shows the one before.
    const before = element("canvas", { width: canvas.width, height: canvas.height });
    before.getContext("2d").drawImage(canvas, 0, 0);
    Object.assign(canvas, { width: across, height: down });
    context.drawImage(before, 0, 0, across, down);
    touch();
  }
  const resized = new ResizeObserver(fit);
  resized.observe(canvas);
  window.addEventListener("resize", fit);

  // What is scrolled away or folded does not ask for frames, even if it plays.
  const seen = new IntersectionObserver((entries) => {
    const before = visible;
    visible = entries[entries.length - 1].isIntersecting;
    if (visible && !before) touch();
  });
  seen.observe(canvas);

  // ---- what a person does ----

  /** Where on the picture an event is, in pixels of the view from its middle, upwards. */
  function place(event) {
    const box = canvas.getBoundingClientRect();
    const ratio = width / box.width;
    return [(event.clientX - box.left - box.width / 2) * ratio, (box.top + box.height / 2 - event.clientY) * ratio];
  }

  function moveBy(right, up) {
    view.center = [view.center[0] - right / view.zoom, view.center[1] - up / view.zoom];
    touch();
  }

  function zoomBy(factor, [right, up]) {
    const x = view.center[0] + right / view.zoom;
    const y = view.center[1] + up / view.zoom;
    view.zoom = Math.min(MAX_ZOOM, Math.max(1 / MAX_ZOOM, view.zoom * factor));
    view.center = [x - right / view.zoom, y - up / view.zoom];
    touch();
  }

  const pointers = new Map(); // where each pointer is that holds the picture: a mouse, or fingers

  /** The middle between the pointers, and how far they are from it on the average. */
  function grip() {
    const all = [...pointers.values()];
    const middle = [0, 1].map((axis) => all.reduce((sum, each) => sum + each[axis], 0) / all.length);
    const spread = all.reduce((sum, [x, y]) => sum + Math.hypot(x - middle[0], y - middle[1]), 0) / all.length;
    return { middle, spread };
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    const before = grip();
    pointers.set(event.pointerId, place(event));
    const after = grip();
    moveBy(after.middle[0] - before.middle[0], after.middle[1] - before.middle[1]);
    if (before.spread && after.spread) zoomBy(after.spread / before.spread, after.middle);
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
    canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
  }
  const wheel = (event) => {
    event.preventDefault();
    const pixels = [1, LINE_PIXELS, height][event.deltaMode] * event.deltaY;
    // Browsers report a pinch on a touchpad as a wheel with the control key, in small steps.
    zoomBy(Math.exp((event.ctrlKey ? -0.01 : -0.0015) * pixels), place(event));
  };
  canvas.addEventListener("wheel", wheel, { passive: false });

  const step = width / 10;
  const lookAt = ({ center, zoom }) => (Object.assign(view, { center: [...center], zoom }), touch());
  const begin = () => lookAt(setup.home);
  const actions = {
    ArrowLeft: () => moveBy(step, 0),
    ArrowRight: () => moveBy(-step, 0),
    ArrowUp: () => moveBy(0, -step),
    ArrowDown: () => moveBy(0, step),
    "+": () => zoomBy(1.25, [0, 0]),
    "=": () => zoomBy(1.25, [0, 0]), // the same key without shift
    "-": () => zoomBy(0.8, [0, 0]),
    0: begin,
    " ": () => moves && setPlaying(!playing),
  };
  // Notebooks have keys of their own, among them "0 0", which restarts the kernel: what is meant for the picture, or
  // for a control, does not reach them. What is pressed with control, alt or command does.
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const onSlider = event.target.type === "range" && OWN_KEYS.includes(event.key);
    const onButton = event.target === play && [" ", "Enter"].includes(event.key) && !event.shiftKey;
    if (!onSlider && !onButton && !(event.key in actions)) return;
    event.stopPropagation();
    if (onSlider || onButton) return;
    event.preventDefault();
    actions[event.key]();
  });

  let before = null;
  function tick(now) {
    if (!playing) return;
    if (before !== null) view.time += (clock.speed * (now - before)) / 1000;
    before = now;
    const over = view.time >= clock.seconds;
    if (over) view.time = clock.loops ? view.time % clock.seconds : clock.seconds;
    time?.set(view.time);
    if (visible) touch();
    if (over && !clock.loops) setPlaying(false);
    else requestAnimationFrame(tick);
  }
  function setPlaying(to) {
    if (playing === to) return;
    playing = to;
    play.textContent = playing ? "Pause" : "Play";
    rate.textContent = "";
    before = null;
    // What was played to its end begins again.
    if (playing && view.time >= clock.seconds) view.time = 0;
    if (playing) requestAnimationFrame(tick);
    touch();
  }
  play.addEventListener("click", () => setPlaying(!playing));
  const goTo = (to) => {
    view.time = to;
    time?.set(to);
    touch();
  };

  fit();
  touch();
  function close() {
    playing = false;
    clearTimeout(resting);
    clearInterval(watch);
    resized.disconnect();
    seen.disconnect();
    window.removeEventListener("resize", fit);
    model.off("msg:custom", heard);
    try {
      model.send({ kind: "leave", viewer });
    } catch (error) {
      // The kernel is gone, and what would be freed with it.
    }
  }
  const isPlaying = () => playing;
  const nearer = (factor) => zoomBy(factor, [0, 0]);
  return { canvas, view, clock, touch, forget, lookAt, goTo, setMoves, setPlaying, isPlaying, zoomBy: nearer, close };
}

function render({ model, el }) {
  return viewer({ model, el }).close;
}

export default { render };
