/* How a module of WebAssembly draws its picture: for the ES module beside an exported one, and for pages. */

/** The params of the kernel, by name. */
function paramsOf({ size: [width, height], center: [center_x, center_y], zoom, time, samples, params }) {
  if (!(typeof zoom === "number" && zoom > 0)) throw new RangeError(`zoom: ${zoom} is not a number above 0`);
  return { time, center_x, center_y, scale: 1 / zoom, width, height, samples, ...params };
}

/** A value as the kernel takes it: of the type of its param, and within the range that was assumed of it. */
function checked({ name, type, low, high }, given) {
  const value = type === "f32" ? Math.fround(given) : given;
  const real = type !== "i32", whole = real || Number.isInteger(value);
  if (typeof given !== "number" || !Number.isFinite(value) || !whole || value < (low ?? value) || value > (high ?? value)) {
    throw new RangeError(`${name}: ${given} is not ${real ? "a number" : "a whole number"} within ` +
      `${low ?? "any"} .. ${high ?? "any"}`);
  }
  return value;
}

/** The names of what is given must be among those that there are. */
function known(given, names, what) {
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) throw new RangeError(`no ${what} is called ${name}; there are ${names.join(", ") || "none"}`);
  }
}

/** The picture of a compiled module: its view, and what draws it. */
async function opened(module) {
  const [section] = WebAssembly.Module.customSections(module, "pellucid");
  const { params, places, most, view: home } = JSON.parse(new TextDecoder().decode(section));
  const { memory, draw } = (await WebAssembly.instantiate(module)).exports;

  /** The pixels of a view, four bytes each: in an array of its own, or in one that is given, such as an ImageData's. */
  function render(view = {}, into = null) {
    known(view, Object.keys(home), "word of a view");
    known(view.params ?? {}, Object.keys(home.params), "parameter");
    const whole = { ...home, ...view, params: { ...home.params, ...view.params } };
    if ((whole.samples === 1) !== (home.samples === 1)) {
      throw new RangeError(`samples: ${whole.samples}, but the picture was exported for ${home.samples}`);
    }
    const values = paramsOf(whole), [width, height] = whole.size;
    const slots = params.map((p) => checked(p, values[p.name]));
    if (!(Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0 && width * height <= most)) {
      throw new RangeError(`size: ${width}x${height} is not a size in pixels`);
    }
    const bytes = 4 * width * height;
    if (into && into.length !== bytes) throw new RangeError(`into: ${into.length} bytes, but the view has ${bytes}`);
    const missing = places.out + bytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    const words = new DataView(memory.buffer);
    params.forEach(({ type }, k) => {
      const at = places.params + 8 * k;
      if (type === "f32") words.setFloat32(at, slots[k], true);
      else if (type === "f64") words.setFloat64(at, slots[k], true);
      else words.setInt32(at, slots[k], true);
    });
    words.setBigInt64(places.sizes, BigInt(width * height), true);
    draw(places.params, places.buffers, places.sizes, 0n, 0n);
    const pixels = new Uint8ClampedArray(memory.buffer, places.out, bytes);
    if (!into) return pixels.slice();
    into.set(pixels);
    return into;
  }

  return { view: structuredClone(home), render };
}
