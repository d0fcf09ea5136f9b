/* A picture in WebAssembly: reads the module beside this file, and draws frames of it. Works in browsers and in Node.

     import { open } from "./CALLER";
     const picture = await open();
     const pixels = picture.render({ size: [640, 480], zoom: 2 });            // Uint8ClampedArray, RGBA, row 0 on top
     context.putImageData(new ImageData(pixels, 640), 0, 0);

   Frame after frame, `picture.render(view, image.data)` draws into the same ImageData.

   What a view leaves out is as the picture was exported: `picture.view`. A wrong value is a RangeError that names it. */

const here = new URL("./MODULE", import.meta.url);

/** The bytes at an address; Node reads its own files otherwise than a browser. */
async function bytesOf(address) {
  if (address.protocol === "file:" && typeof process !== "undefined") {
    return (await import("node:fs/promises")).readFile(address);
  }
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

/** The picture of a module: its own, or one that is given as bytes or as a compiled module. */
export async function open(source) {
  const compiled = source instanceof WebAssembly.Module;
  return opened(compiled ? source : await WebAssembly.compile(source ?? await bytesOf(here)));
}

