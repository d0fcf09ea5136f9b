"use strict";
/* A picture drawn by WebGL2, or by its module of WebAssembly: read from the page, compiled once, drawn when something
   has changed. The module draws where there is no WebGL2, where the GPU refuses the shader, in exact numerics, and, if it
   is in f64, what is enlarged too far for the numbers of a shader. */
(async () => {
  const find = (id) => document.getElementById(id);
  const status = find("status"), note = find("note"), info = find("info"), play = find("play");
  /** Milliseconds of a frame of a module while the view moves, and until it is drawn as fine as it is shown. */
  const FRAME_MS = 40, REST_MS = 250, MAX_COARSE = 16;
  /** Steps from one number of f32 to the next that a pixel is wide where a shader draws a picture that has f64 too. */
  const MIN_STEPS = 64;
  const say = (text) => { status.textContent = text; status.hidden = !text; };

  /** The bytes that stand deflated in the page under a name. */
  async function bytesOf(id) {
    const packed = Uint8Array.from(atob(find(id).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  if (typeof DecompressionStream === "undefined") {
    return say("This browser is too old for this page: it has no DecompressionStream. Any browser since 2023 has it.");
  }
  const program = JSON.parse(new TextDecoder().decode(await bytesOf("program")));
  const choice = { alpha: true, premultipliedAlpha: false, preserveDrawingBuffer: true };
  let canvas = find("picture"), module = null;
  let gl = program.fragment === null ? null : canvas.getContext("webgl2", choice);
  if (!gl && !program.module) {
    return say("This picture is drawn by WebGL2, which this browser has not, or has turned off. " +
      "Turn on hardware acceleration, or open the page in another browser.");
  }
  /** A canvas has one kind of context: of these two, the page shows the one that draws. */
  const canvases = { WebGL2: canvas, WebAssembly: gl ? canvas.cloneNode() : canvas };
  if (!gl && program.fragment !== null) tell("this browser has no WebGL2, or it is turned off");
  const buffers = await Promise.all(program.buffers.map((b) => bytesOf(b.name)));
  const home = { ...program.view, params: Object.fromEntries(program.sliders.map((s) => [s.name, s.value])) };
  const view = structuredClone(home);
  let image = null, playing = false, drawn = null, asked = 0, before = 0, uniforms = null, at_rest = null;
  /** Milliseconds that a module takes for a pixel; until a frame is measured, those of a plain picture. */
  let each = 1e-4;

  // ---- WebGL ----

  function compiled(type, text) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    return shader;
  }

  /** The program, its textures and its uniforms: at the start, and after the context was lost. */
  function set_up() {
    const corners = "#version 300 es\nvoid main() { gl_Position = " +
      "vec4(gl_VertexID == 1 ? 3. : -1., gl_VertexID == 2 ? 3. : -1., 0, 1); }";
    const made = gl.createProgram(), fragment = compiled(gl.FRAGMENT_SHADER, program.fragment);
    gl.attachShader(made, compiled(gl.VERTEX_SHADER, corners));
    gl.attachShader(made, fragment);
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) {
      if (gl.isContextLost()) return;
      throw new Error(gl.getShaderInfoLog(fragment) || gl.getProgramInfoLog(made));
    }
    gl.useProgram(made);
    const forms = {
      u8: [gl.R8UI, gl.RED_INTEGER, gl.UNSIGNED_BYTE, Uint8Array],
      u16: [gl.R16UI, gl.RED_INTEGER, gl.UNSIGNED_SHORT, Uint16Array],
      u32: [gl.R32UI, gl.RED_INTEGER, gl.UNSIGNED_INT, Uint32Array],
      i32: [gl.R32I, gl.RED_INTEGER, gl.INT, Int32Array],
      f32: [gl.R32F, gl.RED, gl.FLOAT, Float32Array],
    };
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    program.buffers.forEach((b, k) => {
      const [format, channel, type, Elements] = forms[b.type], rows = Math.ceil(b.size / b.across);
      if (Math.max(b.across, rows) > gl.getParameter(gl.MAX_TEXTURE_SIZE)) {
        throw new Error(`a bitmap of ${b.size} elements is too large for the textures of this GPU`);
      }
      const whole = new Elements(b.across * rows);
      whole.set(new Elements(buffers[k].buffer));
      gl.activeTexture(gl.TEXTURE0 + k);
      gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
      gl.texImage2D(gl.TEXTURE_2D, 0, format, b.across, rows, 0, channel, type, whole);
      gl.uniform1i(gl.getUniformLocation(made, b.name), k);
    });
    uniforms = program.params.map((p) => [gl.getUniformLocation(made, p.name), p]);
  }

  /** Units that a pixel is wide, of a canvas of so many. */
  const unit = (width, height) => 1 / (view.zoom * Math.min(width / view.size[0], height / view.size[1]));
  const scale = () => unit(canvas.width, canvas.height);
  const finest = () => {
    const ratio = window.devicePixelRatio || 1;
    return unit(canvas.clientWidth * ratio, canvas.clientHeight * ratio);
  };

  /** Whether the module draws the view: always where there is no shader, and where it has more digits, far in. */
  function takes_module() {
    const least = Math.max(program.limits.scale, Math.max(...view.center.map(Math.abs)) * MIN_STEPS * 2 ** -24);
    return !gl || (program.deep && finest() < least);
  }

  const ready = () => takes_module() ? module : !gl.isContextLost() && uniforms;

  function show(by) {
    if (canvas !== canvases[by]) {
      canvas.replaceWith(canvases[by]);
      canvas = canvases[by];
    }
    canvas.dataset.by = by;
  }

  /** A frame of the size of the canvas, or of a part of its columns and rows, which the browser spreads over it. */
  function draw(coarse = 1) {
    if (!ready()) return;
    show(takes_module() ? "WebAssembly" : "WebGL2");
    const ratio = (window.devicePixelRatio || 1) / coarse;
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    if (takes_module()) draw_by_module(width, height);
    else draw_by_shader(width, height);
    canvas.dataset.frames = 1 + Number(canvas.dataset.frames || 0);
  }

  function draw_by_module(width, height) {
    const { center, time, samples, params } = view, began = performance.now();
    if (image?.width !== width || image.height !== height) image = new ImageData(width, height);
    module.render({ size: [width, height], center, zoom: 1 / scale(), time, samples, params }, image.data);
    canvas.getContext("2d").putImageData(image, 0, 0);
    each = (performance.now() - began) / (width * height);
  }

  /** By how much coarser frames are while the view moves, so that each is there in time: a module has one thread. */
  function coarseness() {
    const pixels = canvas.clientWidth * canvas.clientHeight * (window.devicePixelRatio || 1) ** 2;
    if (!takes_module()) return 1;
    return Math.min(MAX_COARSE, Math.max(1, Math.ceil(Math.sqrt(each * pixels / FRAME_MS))));
  }

  function draw_by_shader(width, height) {
    const values = {
      time: view.time, center_x: view.center[0], center_y: view.center[1], scale: scale(),
      width, height, samples: view.samples, ...view.params,
    };
    for (const [place, p] of uniforms) gl[p.type === "i32" ? "uniform1i" : "uniform1f"](place, values[p.value]);
    gl.viewport(0, 0, width, height);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /** Draw before the next frame is shown; while time passes, again for each. */
  function ask() {
    asked ||= requestAnimationFrame((now) => {
      asked = 0;
      if (!ready()) return;
      if (playing) {
        view.time = (view.time + Math.min(now - before, 100) / 1000) % program.limits.time;
        before = now;
        show_time();
        ask();
      }
      const coarse = coarseness();
      draw(coarse);
      clearTimeout(at_rest);
      if (coarse > 1 && !playing) at_rest = setTimeout(() => draw(), REST_MS);
    });
  }

  /** Say in a line why the processor draws. */
  function tell(why) {
    note.textContent = `The processor draws: ${why}.`;
    note.hidden = false;
  }

  async function begin() {
    try {
      if (gl) set_up();
    } catch (error) {
      const why = String(error.message).trim().split("\n")[0].slice(0, 200) || "it does not say why";
      if (!program.module) return say(`This GPU refuses the picture: ${why}`);
      gl = null;
      tell(`this GPU refuses the shader, ${why}`);
    }
    say("");
    ask();
    if (program.module && (!gl || program.deep)) {
      module ??= await opened(await WebAssembly.compile(await bytesOf("module")));
      ask();
    }
  }
  canvases.WebGL2.addEventListener("webglcontextlost", (event) => {
    event.preventDefault();
    if (!gl) return;
    uniforms = null;
    say("The GPU was taken away. The picture comes back with it.");
  });
  canvases.WebGL2.addEventListener("webglcontextrestored", () => gl && begin());

  // ---- the view, and the address ----

  function changed() {
    const { center, zoom } = program.limits;
    view.center = view.center.map((x) => Math.max(-center, Math.min(center, x)));
    view.zoom = Math.max(zoom[0], Math.min(zoom[1], view.zoom));
    // Where pixels are finer than numbers, there is nothing to see.
    const least = Math.max(...view.center.map(Math.abs)) * program.limits.step;
    if (finest() < least) view.zoom *= finest() / least;
    clearTimeout(drawn);
    drawn = setTimeout(write_address, 200);
    ask();
  }

  function write_address() {
    const words = new URLSearchParams({ x: view.center[0], y: view.center[1], zoom: view.zoom });
    if (program.moving) words.set("time", view.time);
    for (const [name, value] of Object.entries(view.params)) words.set(`p.${name}`, value);
    history.replaceState(null, "", `#${words}`);
  }

  function read_address() {
    const words = new URLSearchParams(location.hash.slice(1));
    const number = (name, other) => {
      const found = words.get(name) === null ? NaN : Number(words.get(name));
      return Number.isFinite(found) ? found : other;
    };
    view.center = [number("x", home.center[0]), number("y", home.center[1])];
    view.zoom = Math.abs(number("zoom", home.zoom)) || home.zoom;
    view.time = number("time", home.time);
    for (const s of program.sliders) {
      view.params[s.name] = Math.max(s.low, Math.min(s.high, number(`p.${s.name}`, s.value)));
    }
    show_params();
    show_time();
  }

  function show_time() {
    if (program.moving) find("time").textContent = `${view.time.toFixed(2)} s`;
  }

  function show_params() {
    for (const input of document.querySelectorAll("input[name]")) {
      input.value = view.params[input.name];
      input.previousElementSibling.textContent = Number(view.params[input.name].toPrecision(5));
    }
  }

  /** Zoom by a factor, and keep the point under a place of the window where it is. */
  function zoom_at(factor, x, y) {
    const ratio = canvas.width / canvas.clientWidth;
    const across = (x - canvas.clientWidth / 2) * ratio, up = (canvas.clientHeight / 2 - y) * ratio;
    const from = scale();
    view.zoom *= factor;
    changed();
    const gained = from - scale();
    view.center = [view.center[0] + across * gained, view.center[1] + up * gained];
    changed();
  }

  function move(across, down) {
    const step = scale() * (canvas.width / canvas.clientWidth);
    view.center = [view.center[0] - across * step, view.center[1] + down * step];
    changed();
  }

  function set_playing(now) {
    playing = now && program.moving;
    play.textContent = playing ? "Pause" : "Play";
    before = performance.now();
    if (!playing) write_address();
    ask();
  }

  function go_home() {
    Object.assign(view, structuredClone(home));
    show_params();
    show_time();
    changed();
  }

  function save() {
    draw();
    canvas.toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `${program.name}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  // ---- hands ----

  const fingers = new Map();
  function pressed(event) {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  function moved(event) {
    const old = fingers.get(event.pointerId);
    if (!old) return;
    const now = [event.clientX, event.clientY];
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    fingers.set(event.pointerId, now);
    if (!other) return move(now[0] - old[0], now[1] - old[1]);
    const apart = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]) || 1;
    move((now[0] - old[0]) / 2, (now[1] - old[1]) / 2);
    zoom_at(apart(now) / apart(old), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  }

  function wheeled(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 30 : 1;
    zoom_at(Math.exp(-event.deltaY * lines * 0.0015), event.clientX, event.clientY);
  }

  for (const one of new Set(Object.values(canvases))) {
    one.addEventListener("pointerdown", pressed);
    one.addEventListener("pointermove", moved);
    for (const name of ["pointerup", "pointercancel"]) {
      one.addEventListener(name, (event) => fingers.delete(event.pointerId));
    }
    one.addEventListener("wheel", wheeled, { passive: false });
    new ResizeObserver(ask).observe(one);
  }

  const keys = {
    ArrowLeft: () => move(40, 0), ArrowRight: () => move(-40, 0), ArrowUp: () => move(0, 40),
    ArrowDown: () => move(0, -40), "+": () => zoom_middle(1.25), "=": () => zoom_middle(1.25),
    "-": () => zoom_middle(0.8), 0: go_home, " ": () => set_playing(!playing), s: save, i: () => info.showModal(),
    h: () => { find("panel").hidden = !find("panel").hidden; },
  };
  const zoom_middle = (factor) => zoom_at(factor, canvas.clientWidth / 2, canvas.clientHeight / 2);
  addEventListener("keydown", (event) => {
    const inside = event.target instanceof HTMLElement && event.target.closest("input, button, dialog");
    if (event.ctrlKey || event.metaKey || event.altKey || info.open || !(event.key in keys)) return;
    if (inside && (event.key === " " || event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const input of document.querySelectorAll("input[name]")) {
    input.addEventListener("input", () => {
      const s = program.sliders.find((one) => one.name === input.name), value = Number(input.value);
      if (input.value === "" || !Number.isFinite(value)) return;
      view.params[s.name] = Math.max(s.low, Math.min(s.high, value));
      input.previousElementSibling.textContent = Number(view.params[s.name].toPrecision(5));
      changed();
    });
  }
  play.addEventListener("click", () => set_playing(!playing));
  find("home").addEventListener("click", go_home);
  find("save").addEventListener("click", save);
  find("more").addEventListener("click", () => info.showModal());
  find("close").addEventListener("click", () => info.close());
  find("shader").textContent = program.fragment ?? "none: every bit counts, and the processor draws";
  addEventListener("hashchange", () => { read_address(); ask(); });

  read_address();
  changed();
  begin();
  if (program.moving && !matchMedia("(prefers-reduced-motion: reduce)").matches && !location.hash) set_playing(true);
})();
