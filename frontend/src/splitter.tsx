// The bars between panes, which are dragged or moved by arrow keys, and remembered.
import { useEffect, useState } from "react";

const LOW = 20;
const HIGH = 85;

interface Asked {
  /** What is on the left, or above; its part of the whole is the property of this name. */
  name: "picture" | "height";
  label: string;
  /** The percentage at first. */
  first: number;
}

export function Splitter({ name, label, first }: Asked) {
  const key = `pellucid studio: ${name}`;
  const upright = name === "picture";
  const [part, setPart] = useState(() => Number(localStorage.getItem(key)) || first);
  const move = (to: number) => setPart(Math.min(HIGH, Math.max(LOW, to)));
  useEffect(() => {
    document.documentElement.style.setProperty(`--${name}`, `${part}%`);
    localStorage.setItem(key, String(part));
  }, [part]);
  return (
    <div
      className={`splitter ${name}`} role="separator" aria-orientation={upright ? "vertical" : "horizontal"} aria-label={label}
      tabIndex={0} aria-valuenow={Math.round(part)} aria-valuemin={LOW} aria-valuemax={HIGH}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const whole = event.currentTarget.parentElement!.getBoundingClientRect();
        move(upright ? (100 * (event.clientX - whole.left)) / whole.width : (100 * (event.clientY - whole.top)) / whole.height);
      }}
      onKeyDown={(event) => {
        if (event.key === (upright ? "ArrowLeft" : "ArrowUp")) move(part - 2);
        if (event.key === (upright ? "ArrowRight" : "ArrowDown")) move(part + 2);
      }}
    />
  );
}
