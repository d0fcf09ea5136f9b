// Lines over the picture at round numbers of its plane, written along its edges as on rulers.
import type { Viewer } from "../../src/pellucid/notebook/explore.js";
import { screenOf } from "./overlay";
import { type Looks, useLooks } from "./picture";
import { type Tick, ticks } from "./ticks";

const PIXELS = 80; // between two lines, at least
const EDGE = 4; // from the edge to what is written there

export function Grid({ viewer, looks }: { viewer: Viewer; looks: Looks }) {
  useLooks(looks);
  const { clientWidth: width, clientHeight: height } = viewer.canvas;
  if (!width || !height) return null;
  const [zoom, , , , left, top] = screenOf(viewer);
  const across = ticks(-left / zoom, (width - left) / zoom, width / PIXELS);
  const down = ticks((top - height) / zoom, top / zoom, height / PIXELS);
  const main = (tick: Tick) => (tick.at === 0 ? "axis" : undefined);
  return (
    <svg className="grid" aria-hidden="true">
      {across.map((each) => {
        const x = left + each.at * zoom;
        return <g key={each.label} className={main(each)}><line x1={x} y1={0} x2={x} y2={height} /><text x={x + EDGE} y={12}>{each.label}</text></g>;
      })}
      {down.map((each) => {
        const y = top - each.at * zoom;
        return <g key={each.label} className={main(each)}><line x1={0} y1={y} x2={width} y2={y} /><text x={EDGE} y={y - EDGE}>{each.label}</text></g>;
      })}
    </svg>
  );
}
