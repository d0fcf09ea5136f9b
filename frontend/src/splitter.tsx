// The bar between the picture and the rest, which is dragged or moved by arrow keys, and remembered.
import { useEffect, useState } from "react";

const KEY = "pellucid studio: part of the picture";
const LOW = 25;
const HIGH = 80;

export function Splitter() {
  const [part, setPart] = useState(() => Number(localStorage.getItem(KEY)) || 58);
  const move = (to: number) => setPart(Math.min(HIGH, Math.max(LOW, to)));
  useEffect(() => {
    document.documentElement.style.setProperty("--picture", `${part}%`);
    localStorage.setItem(KEY, String(part));
  }, [part]);
  return (
    <div
      className="splitter" role="separator" aria-orientation="vertical" aria-label="Width of the picture" tabIndex={0}
      aria-valuenow={Math.round(part)} aria-valuemin={LOW} aria-valuemax={HIGH}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) move((100 * event.clientX) / innerWidth);
      }}
      onKeyDown={(event) => {
        if (event.key === "ArrowLeft") move(part - 2);
        if (event.key === "ArrowRight") move(part + 2);
      }}
    />
  );
}
