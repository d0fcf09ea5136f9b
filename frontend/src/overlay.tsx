// What lies over the picture: handles of what is selected, which are dragged or moved by arrow keys, and the probe,
// which tells the point under the pointer, its color, and the value of what is selected there.
import { useEffect, useRef, useState } from "react";

import type { Viewer } from "../../src/pellucid/notebook/explore.js";
import { Drag } from "./dragging";
import type { Editing } from "./editing";
import type { Editor } from "./editor";
import { type Affine, frameOf, type Handle, handled, handlesOf, inverse, mapped, numberOf, type Point, settled } from "./handles";
import { literalOf } from "./inspector";
import type { Link } from "./link";
import { type Literal, written } from "./numbers";
import { type Looks, SIZE, useLooks } from "./picture";
import { nodeOf, placeOf } from "./tree";

const ARM_PIXELS = 70; // from the middle to the handle of an angle
const KEY_PIXELS = 4; // of an arrow key
const PROBE_MS = 60;
const ARROWS: Record<string, Point> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

interface Asked {
  link: Link;
  viewer: Viewer;
  editor: Editor;
  editing: Editing;
  looks: Looks;
}

/** From the plane of the picture to the pixels of the page, from the corner of the canvas. */
export function screenOf(viewer: Viewer): Affine {
  const { clientWidth, clientHeight } = viewer.canvas;
  const zoom = (viewer.view.zoom * clientWidth) / SIZE[0];
  const [x, y] = viewer.view.center;
  return [zoom, 0, 0, -zoom, clientWidth / 2 - x * zoom, clientHeight / 2 + y * zoom];
}

export function Handles({ viewer, editor, editing, looks }: Asked) {
  useLooks(looks);
  const { tree, selected, fresh } = editing;
  const held = useRef<{ handle: Handle; drag: Drag } | null>(null);
  const node = handled(tree, selected);
  if (!node || !viewer.canvas.clientWidth) return null;
  const { map, exact } = frameOf(tree, node.identity);
  const screen = screenOf(viewer);
  const pixel = 1 / Math.abs(screen[0]);
  const size = Math.sqrt(Math.abs(map[0] * map[3] - map[1] * map[2])) || 1;
  const all = handlesOf(tree, node, (ARM_PIXELS * pixel) / size);
  const seen = (at: Point) => mapped(screen, mapped(map, at));
  const begin = (handle: Handle) => {
    if (!fresh) return false;
    const literals = handle.numbers.map((id) => literalOf(editor, nodeOf(tree, id)!));
    if (literals.some((each) => !each)) return false;
    held.current = { handle, drag: new Drag(editor, literals as Literal[], handle.key) };
    return true;
  };
  /** Put what is dragged at a point of the screen. */
  const put = ([x, y]: Point, snap: boolean) => {
    const back = inverse(map);
    const home = inverse(screen);
    const at = held.current;
    if (!back || !home || !at) return;
    const local = mapped(back, mapped(home, [x, y]));
    const step = at.handle.kind === "angle" ? 0.01 : pixel / size;
    const texts = at.handle.put(local).map((value, index) => {
      const to = settled(value, placeOf(tree, at.handle.numbers[index]), step, snap);
      return written(to, String(to));
    });
    at.drag.to(texts);
  };
  const end = () => {
    held.current?.drag.end();
    held.current = null;
  };
  const pointed = (event: React.PointerEvent): Point => {
    const box = viewer.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  return (
    <svg className={`handles${exact ? "" : " unsure"}`} role="group" aria-label={`Handles of ${node.label}`}>
      {all.map((handle) => {
        const [x, y] = seen(handle.at);
        const [fromX, fromY] = seen(handle.from);
        const said = handle.numbers.map((id) => numberOf(tree, id)?.value).join(", ");
        const radius = Math.hypot(x - fromX, y - fromY);
        return (
          <g key={handle.key}>
            <line x1={fromX} y1={fromY} x2={x} y2={y} />
            {handle.kind === "length" && /radius|inner/.test(handle.key) && <circle className="ring" cx={fromX} cy={fromY} r={radius} />}
            <g
              className="handle" tabIndex={0} role="slider" aria-label={`${handle.key} of ${node.label}`} aria-valuetext={said}
              aria-valuenow={Number(numberOf(tree, handle.numbers[0])?.value)} data-handle={handle.key}
              transform={`translate(${x} ${y})`}
              onPointerDown={(event) => {
                if (event.button === 0 && begin(handle)) event.currentTarget.setPointerCapture(event.pointerId);
              }}
              onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && put(pointed(event), event.shiftKey)}
              onPointerUp={end} onLostPointerCapture={end}
              onKeyDown={(event) => {
                const way = ARROWS[event.key];
                if (!way || event.ctrlKey || event.altKey || event.metaKey) return;
                event.preventDefault();
                if (begin(handle)) put([x + KEY_PIXELS * way[0], y - KEY_PIXELS * way[1]], false);
                end();
              }}
            >
              <circle className="hold" r="14" />
              {handle.kind === "point" ? <rect x="-6" y="-6" width="12" height="12" /> : handle.kind === "angle" ? <path d="M0 -8 L8 0 L0 8 L-8 0 Z" /> : <circle r="6.5" />}
              <title>{handle.key}</title>
            </g>
          </g>
        );
      })}
    </svg>
  );
}

/** Digits that a pixel of the screen needs. */
function shown(value: number, pixel: number): string {
  return value.toFixed(Math.min(12, Math.max(0, Math.ceil(-Math.log10(pixel)))));
}

export function Probe({ link, viewer, editor, editing }: Asked) {
  const [told, setTold] = useState<{ at: Point; color: string; value: string } | null>(null);
  const now = useRef({ editing, asked: 0, sent: 0, timer: 0, next: null as Point | null });
  now.current.editing = editing;
  useEffect(() => {
    const state = now.current;
    const ask = () => {
      state.timer = 0;
      const { tree, selected } = state.editing;
      if (!state.next) return;
      const [at, node] = [state.next, nodeOf(tree, selected)];
      const back = node ? inverse(frameOf(tree, node.identity).map) : null;
      state.sent = performance.now();
      const local = back ? mapped(back, at) : at;
      link.say({ kind: "probe", ask: `probe ${++state.asked}`, point: at, local, time: viewer.view.time, params: viewer.view.params, node: node?.identity ?? null });
    };
    const point = (at: Point) => {
      state.next = at;
      state.timer ||= window.setTimeout(ask, Math.max(0, PROBE_MS - (performance.now() - state.sent)));
    };
    const moved = (event: PointerEvent) => {
      const box = viewer.canvas.getBoundingClientRect();
      const home = inverse(screenOf(viewer));
      if (home) point(mapped(home, [event.clientX - box.left, event.clientY - box.top]));
    };
    // By keys, the middle of the picture is asked for.
    const middle = () => point([...viewer.view.center]);
    const left = () => {
      state.next = null;
      setTold(null);
    };
    const stop = link.listen((message) => {
      if (message.kind === "probed" && message.ask === `probe ${state.asked}` && state.next) {
        setTold({ at: message.point, color: message.color, value: message.value });
      }
    });
    const { canvas } = viewer;
    const events = { pointermove: moved, pointerleave: left, focus: middle, keyup: middle, blur: left };
    for (const [name, heard] of Object.entries(events)) canvas.addEventListener(name, heard as EventListener);
    return () => {
      stop();
      clearTimeout(state.timer);
      for (const [name, heard] of Object.entries(events)) canvas.removeEventListener(name, heard as EventListener);
    };
  }, [link, viewer, editor]);
  if (!told) return null;
  const pixel = 1 / Math.abs(screenOf(viewer)[0]);
  const [x, y] = told.at.map((each) => shown(each, pixel));
  const node = nodeOf(editing.tree, editing.selected);
  return (
    <p className="probe" aria-label="Probe">
      <span>{x}, {y}</span>
      {told.color && <><span className="swatch" style={{ background: told.color }} /><span>{told.color}</span></>}
      {node && told.value && <span>{node.label}: {told.value}</span>}
    </p>
  );
}
