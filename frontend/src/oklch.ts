// Colors as lightness, chroma and hue, in which equal steps look equal: OKLCH, and the way to sRGB and back.

export type Oklch = [lightness: number, chroma: number, hue: number];

/** The most chroma that a color of sRGB has. */
export const MAX_CHROMA = 0.33;
const TURN = 360;

const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const encoded = (value: number) => (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);

/** Lightness of 0 to 1, chroma, and hue in degrees of a color #rrggbb. */
export function oklchOf(hex: string): Oklch {
  const [r, g, b] = [1, 3, 5].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const other = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  const hue = (Math.atan2(other, a) * TURN) / (2 * Math.PI);
  return [lightness, Math.hypot(a, other), (hue + TURN) % TURN];
}

/** Red, green and blue, encoded as sRGB, some of them beyond 0 to 1 where sRGB has no such color. */
function channels([lightness, chroma, hue]: Oklch): number[] {
  const turned = (hue * 2 * Math.PI) / TURN;
  const [a, b] = [chroma * Math.cos(turned), chroma * Math.sin(turned)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(encoded);
}

const SLACK = 0.5 / 255; // what rounding takes away
const inside = (color: number[]) => color.every((each) => each >= -SLACK && each <= 1 + SLACK);

/** The color #rrggbb; where sRGB has none of this chroma, the one with the most that it has. */
export function hexOf([lightness, chroma, hue]: Oklch): string {
  let [low, high] = [0, chroma];
  if (!inside(channels([lightness, chroma, hue]))) {
    for (let step = 0; step < 20; step++) {
      const middle = (low + high) / 2;
      if (inside(channels([lightness, middle, hue]))) low = middle;
      else high = middle;
    }
  } else low = chroma;
  const bytes = channels([lightness, low, hue]).map((each) => Math.round(255 * Math.min(1, Math.max(0, each))));
  return `#${bytes.map((each) => each.toString(16).padStart(2, "0")).join("")}`;
}
