// The bars between panes, which are dragged or moved by arrow keys, and remembered.
import { useEffect, useState } from "react";

import { bar } from "./bar";

const RANGE = [20, 85] as const;

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
  useEffect(() => {
    document.documentElement.style.setProperty(`--${name}`, `${part}%`);
    localStorage.setItem(key, String(part));
  }, [part]);
  return <div className={`splitter ${name}`} aria-label={label} {...bar(part, RANGE, setPart, upright)} />;
}
