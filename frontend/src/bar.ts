// A bar between two parts of a whole, which is dragged or moved by arrow keys.
import type { HTMLAttributes } from "react";

const STEP = 2;

/** What makes an element such a bar: `part` is the percentage before it, `upright` whether that is on its left. */
export function bar(part: number, [low, high]: readonly [number, number], move: (to: number) => void, upright = true): HTMLAttributes<HTMLElement> {
  const within = (to: number) => move(Math.min(high, Math.max(low, to)));
  return {
    role: "separator",
    tabIndex: 0,
    "aria-orientation": upright ? "vertical" : "horizontal",
    "aria-valuenow": Math.round(part),
    "aria-valuemin": low,
    "aria-valuemax": high,
    onPointerDown: (event) => event.currentTarget.setPointerCapture(event.pointerId),
    onPointerMove: (event) => {
      if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
      const whole = event.currentTarget.parentElement!.getBoundingClientRect();
      within(upright ? (100 * (event.clientX - whole.left)) / whole.width : (100 * (event.clientY - whole.top)) / whole.height);
    },
    onKeyDown: (event) => {
      if (event.key === (upright ? "ArrowLeft" : "ArrowUp")) within(part - STEP);
      if (event.key === (upright ? "ArrowRight" : "ArrowDown")) within(part + STEP);
    },
  };
}
