// Handles on the picture: where the numbers of a node lie on it, and what a drag of one makes of them.
import { childrenOf, nodeOf, type Tree, type TreeArgument, type TreeNode } from "./tree";

export type Point = [number, number];

/** An affine map of the plane: x is a x + c y + e, and y is b x + d y + f. */
export type Affine = [number, number, number, number, number, number];

const SAME: Affine = [1, 0, 0, 1, 0, 0];
/** Words that move what they are given in other ways: handles of what is inside show where it was before. */
const WARPS = new Set([
  "centered", "circle_limit", "hyperbolic", "kaleidoscope", "log_polar", "mirror", "polar", "rad_invert", "reflect",
  "ripple_rad", "rosette", "swirl", "tile", "warp", "washer", "xorgon",
]);
/** Lengths that are measured across: their handle is half as far from the middle, sideways or upwards. */
const ACROSS: Record<string, Point> = { width: [0.5, 0], height: [0, 0.5] };

export interface Handle {
  /** The argument that it is for. */
  key: string;
  kind: "point" | "length" | "angle";
  /** The numbers of the text that it sets, by identity. */
  numbers: number[];
  /** Where it lies, and where it is measured from, in the plane of its node. */
  at: Point;
  from: Point;
  /** The numbers when it is put somewhere else. */
  put(to: Point): number[];
}

export interface Frame {
  map: Affine;
  /** Whether it is known where the node lies on the picture. */
  exact: boolean;
}

export function mapped([a, b, c, d, e, f]: Affine, [x, y]: Point): Point {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** First one map, and then another. */
export function after(first: Affine, then: Affine): Affine {
  const [a, b, c, d, e, f] = first;
  const [A, B, C, D, E, F] = then;
  return [A * a + C * b, B * a + D * b, A * c + C * d, B * c + D * d, A * e + C * f + E, B * e + D * f + F];
}

/** The map back, or null where there is none. */
export function inverse([a, b, c, d, e, f]: Affine): Affine | null {
  const size = a * d - b * c;
  if (!Number.isFinite(1 / size)) return null;
  return [d / size, -b / size, -c / size, a / size, (c * f - d * e) / size, (b * e - a * f) / size];
}

/** The number of the text that stands for a node: its own, or that of the name or parameter that it is. */
export function numberOf(tree: Tree, id: number | null): TreeNode | null {
  const node = nodeOf(tree, id);
  if (!node) return null;
  if (node.form === "number") return typeof node.value === "number" ? node : null;
  if (node.form === "name") return numberOf(tree, node.definition);
  if (node.word === "param") return numberOf(tree, node.arguments.find((each) => each.name === "default")?.node ?? null);
  return null;
}

/** The two numbers of a point. */
function coordinates(tree: Tree, id: number | null): [TreeNode, TreeNode] | null {
  const node = nodeOf(tree, id);
  if (node?.form === "name") return coordinates(tree, node.definition);
  if (node?.form !== "tuple") return null;
  const [x, y, ...more] = childrenOf(tree, node.identity).map((each) => numberOf(tree, each));
  // A name that stands for both is one number, which cannot have two values.
  return x && y && x !== y && !more.length ? [x, y] : null;
}

const given = (node: TreeNode, name: string) => node.arguments.find((each) => each.name === name)?.node ?? null;
const value = (node: TreeNode) => node.value as number;

/** How a word moves what it is given; null if that is not known. */
function moved(tree: Tree, node: TreeNode): Affine | null {
  const number = (name: string) => numberOf(tree, given(node, name))?.value as number | undefined;
  const point = (name: string) => coordinates(tree, given(node, name))?.map(value);
  switch (node.word) {
    case "move": {
      const offset = point("offset");
      return offset ? [1, 0, 0, 1, offset[0], offset[1]] : null;
    }
    case "turn": {
      const angle = number("angle");
      return angle === undefined ? null : [Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0];
    }
    case "stretch": {
      const factors = point("factors");
      return factors ? [factors[0], 0, 0, factors[1], 0, 0] : null;
    }
    case "ustretch": {
      const factor = number("factor");
      return factor === undefined ? null : [factor, 0, 0, factor, 0, 0];
    }
    case "shear": {
      const slope = number("slope");
      return slope === undefined ? null : [1, 0, slope, 1, 0, 0];
    }
  }
  return WARPS.has(node.word) || node.form === "function" || node.form === "opaque" ? null : SAME;
}

/** Where the plane of a node lies on the picture; what a name stands for lies where it is used first. */
export function frameOf(tree: Tree, id: number): Frame {
  let map = SAME;
  let exact = true;
  const seen = new Set<number>();
  let at = nodeOf(tree, id);
  while (at && at.identity !== tree.picture && !seen.has(at.identity)) {
    seen.add(at.identity);
    const name = tree.names.find((each) => each.node === at!.identity);
    const use: number | null = at.parent ?? name?.uses[0] ?? null;
    const around = nodeOf(tree, use);
    if (!around) break;
    const place: TreeArgument | undefined = at.parent !== null ? around.arguments.find((each) => each.node === at!.identity) : undefined;
    const holds = at.parent !== null && (place?.name === "image" || place?.role === "receiver");
    const step = holds ? moved(tree, around) : around.form === "function" || around.form === "opaque" ? null : SAME;
    if (step) map = after(map, step);
    else exact = false;
    at = around;
  }
  return { map, exact };
}

/** The node that has handles when a node is selected: the call around a number or a point, else itself. */
export function handled(tree: Tree, id: number | null): TreeNode | null {
  let node = nodeOf(tree, id);
  while (node && (node.form === "number" || node.form === "tuple" || node.form === "name")) node = nodeOf(tree, node.parent);
  return node?.form === "call" ? node : null;
}

/** The handles of a node, in its own plane; an angle has its handle at the distance of an `arm`. */
export function handlesOf(tree: Tree, node: TreeNode, arm: number): Handle[] {
  const found: Handle[] = [];
  const centers = node.arguments.find((each) => each.name === "center" || each.name === "start");
  const center = (centers ? coordinates(tree, centers.node)?.map(value) : null) ?? [0, 0];
  const from: Point = [center[0], center[1]];
  for (const each of node.arguments) {
    if (each.node === null) continue;
    if (each.type === "Point") {
      const point = coordinates(tree, each.node);
      if (point) found.push({
        key: each.name, kind: "point", numbers: point.map((one) => one.identity), at: [value(point[0]), value(point[1])],
        from: each.name === "offset" || each.name === "factors" || each.name === "cell" ? [0, 0] : [value(point[0]), value(point[1])],
        put: (to) => to,
      });
      continue;
    }
    const number = numberOf(tree, each.node);
    if (!number) continue;
    if (each.unit === "radians") {
      const turned = value(number);
      found.push({
        key: each.name, kind: "angle", numbers: [number.identity], from,
        at: [from[0] + arm * Math.cos(turned), from[1] + arm * Math.sin(turned)],
        put: ([x, y]) => {
          // The nearest of all angles in this direction, so that more than a whole turn can be given.
          const to = Math.atan2(y - from[1], x - from[0]);
          return [to + 2 * Math.PI * Math.round((turned - to) / (2 * Math.PI))];
        },
      });
    } else if (each.unit === "units" || (each.name === "factor" && !each.unit)) {
      const [right, up] = ACROSS[each.name] ?? [1, 0];
      const far = value(number);
      found.push({
        key: each.name, kind: "length", numbers: [number.identity], from, at: [from[0] + right * far, from[1] + up * far],
        put: ([x, y]) => [right ? (x - from[0]) / right : (y - from[1]) / up],
      });
    }
  }
  return found;
}

/** A number within the range of its place, in as many digits as a pixel of the screen needs. */
export function settled(to: number, place: TreeArgument | null, pixel: number, snap: boolean): number {
  const digits = Math.min(8, Math.max(0, Math.ceil(-Math.log10(pixel))));
  const step = snap ? 10 ** Math.ceil(Math.log10(12 * pixel)) : 10 ** -digits;
  let found = Number((Math.round(to / step) * step).toFixed(8));
  const range = place?.range;
  if (range) {
    const least = range.low === null ? null : range.open ? range.low + step : range.low;
    if (least !== null && found < least) found = least;
    if (range.high !== null && found > range.high) found = range.open ? range.high - step : range.high;
    if (range.nonzero && found === 0) found = step;
  }
  return Number(found.toFixed(8));
}
