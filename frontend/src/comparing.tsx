// A beside B: another text drawn over the left part of the picture in the same view, up to a bar that is dragged.
import { useEffect, useRef, useState } from "react";

import type { Viewer } from "../../src/pellucid/notebook/explore.js";
import { bar } from "./bar";
import type { Link } from "./link";
import type { Looks } from "./picture";

const RANGE = [2, 98] as const;

interface Asked {
  link: Link;
  viewer: Viewer;
  looks: Looks;
  /** The text of A. */
  text: string;
  /** What is done when there is no such picture. */
  refused(why: string): void;
}

let asks = 0;

export function Comparison({ link, viewer, looks, text, refused }: Asked) {
  const [part, setPart] = useState(50);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let [asked, stale] = ["", true];
    const ask = () => {
      // One is drawn at a time; what was asked for meanwhile is the view as it is then.
      stale = true;
      canvas.current!.dataset.fresh = "false";
      if (asked) return;
      const { canvas: other, view } = viewer;
      const size = [other.clientWidth, other.clientHeight].map((each) => Math.round(each * devicePixelRatio));
      if (!size[0] || !size[1]) return;
      const { center, zoom, time, params } = view;
      const name = `compare ${++asks}`;
      if (link.say({ kind: "compare", ask: name, text, size, center, zoom, time, params })) [asked, stale] = [name, false];
    };
    const stop = link.listen((message, data) => {
      if (message.kind === "document") {
        // The studio was gone, and answers nothing that it was asked before.
        asked = "";
        return ask();
      }
      if (!asked || message.ask !== asked) return;
      asked = "";
      if (message.kind === "refused") return refused(message.text);
      const [width, height] = message.size;
      const [shown, bytes] = [canvas.current!, new Uint8ClampedArray(width * height * 4)];
      bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      [shown.width, shown.height] = [width, height];
      shown.getContext("2d")!.putImageData(new ImageData(bytes, width, height), 0, 0);
      shown.dataset.fresh = String(!stale);
      if (stale) ask();
    });
    const away = looks.listen(ask);
    const sized = new ResizeObserver(ask);
    sized.observe(viewer.canvas);
    ask();
    return () => {
      stop();
      away();
      sized.disconnect();
    };
  }, [link, viewer, looks, text]);
  return (
    <div className="comparison">
      <canvas ref={canvas} style={{ clipPath: `inset(0 ${100 - part}% 0 0)` }} aria-label="The other picture" role="img" />
      <span className="side-name" style={{ right: `calc(${100 - part}% + 8px)` }}>A</span>
      <span className="side-name" style={{ left: `calc(${part}% + 8px)` }}>B</span>
      <div className="divider" aria-label="Between A and B" style={{ left: `${part}%` }} {...bar(part, RANGE, setPart)} />
    </div>
  );
}
