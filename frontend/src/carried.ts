// The program that a picture carries: a PNG that the studio exported has the text of its file, put there by `png.py`.

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const KEYWORD = "pellucid";
/** What stands between the keyword and the text: no compression, no language, no keyword in it. */
const BETWEEN = 5;
/** Bytes of a file in which a program is looked for: it stands before the pixels. */
export const MAX_BYTES = 1 << 20;

/** The program that the bytes of a PNG carry, or null; a chunk that is cut off carries nothing. */
export function carried(data: ArrayBuffer): string | null {
  const bytes = new Uint8Array(data);
  const view = new DataView(data);
  if (SIGNATURE.some((each, index) => bytes[index] !== each)) return null;
  const name = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  for (let at = SIGNATURE.length; at + 8 <= bytes.length; ) {
    const [begin, end] = [at + 8, at + 8 + view.getUint32(at)];
    const text = begin + KEYWORD.length + BETWEEN;
    if (end > bytes.length || name(at + 4, begin) === "IDAT") return null;
    const ours = name(at + 4, begin) === "iTXt" && text <= end && name(begin, text) === KEYWORD + "\0".repeat(BETWEEN);
    if (ours) return new TextDecoder().decode(bytes.subarray(text, end));
    at = end + 4;
  }
  return null;
}

/** The program of a file: a PNG's, or the text of a file of Python; null if there is none. */
export async function programOf(file: File): Promise<string | null> {
  const data = await file.slice(0, MAX_BYTES).arrayBuffer();
  if (!file.name.endsWith(".py")) return carried(data);
  return file.size > MAX_BYTES ? null : new TextDecoder().decode(data);
}
