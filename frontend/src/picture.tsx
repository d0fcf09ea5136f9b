// The picture pane: the viewer that notebooks have too, as large as the pane, over the socket of the page.
import { useEffect, useRef, useState } from "react";

import { type Model, type Viewer, viewer } from "../../src/pellucid/notebook/explore.js";
import type { Link, Message } from "./link";

/** The pixels that zooms are counted in, as in `connection.py`; the height follows the pane. */
export const SIZE = [768, 576];
const HOME = { center: [0, 0], zoom: 96 };
const SECONDS = 10;

/** Who hears of each change of the view, to draw anew what lies over the picture or tells its time. */
export class Looks {
  private readonly listeners = new Set<() => void>();

  tell(): void {
    for (const heard of this.listeners) heard();
  }

  listen(heard: () => void): () => void {
    this.listeners.add(heard);
    return () => this.listeners.delete(heard);
  }
}

/** Draw a component anew with each change of the view. */
export function useLooks(looks: Looks): void {
  const [, set] = useState({});
  useEffect(() => looks.listen(() => set({})), [looks]);
}

/** What the screen is filled with, or no longer: the picture and what lies over it. */
export function fillScreen(): void {
  const pane = document.querySelector(".pane.picture");
  // A browser may refuse; then everything stays as it is.
  void (document.fullscreenElement ? document.exitFullscreen() : pane?.requestFullscreen())?.catch(() => undefined);
}

interface Asked {
  link: Link;
  wrong: boolean;
  ready(made: Viewer): void;
  looks: Looks;
  children?: React.ReactNode;
}

export function Picture({ link, wrong, ready, looks, children }: Asked) {
  const pane = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const heard = new Set<(message: never, buffers: DataView[]) => void>();
    const model: Model = {
      get: () => ({ size: SIZE, ...HOME, home: HOME, time: 0, seconds: SECONDS, moves: false, params: [] }),
      on: (_, each) => heard.add(each),
      off: (_, each) => heard.delete(each),
      send: (message) => void link.say(message as Message),
    };
    const source = { source: "the studio", cure: "wait until it is back" };
    const made = viewer({ model, el: pane.current!, fills: true, timed: false, looked: () => looks.tell(), ...source });
    const stop = link.listen((message, data) => {
      if (message.kind === "frame" || message.kind === "trouble") for (const each of heard) each(message as never, [data]);
    });
    ready(made);
    return () => {
      stop();
      made.close();
    };
  }, [link]);
  return (
    <section className="pane picture" aria-label="Picture">
      <div className="view" ref={pane} />
      {children}
      {wrong && <p className="stale" role="status">The text has a mistake: this is the last picture that it made.</p>}
    </section>
  );
}
