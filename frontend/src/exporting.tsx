// The dialog of exports: which file, how large, how long; what is made is shown as it goes on, and can be cancelled.
import { useEffect, useRef, useState } from "react";

import type { Viewer } from "../../src/pellucid/notebook/explore.js";
import { Modal } from "./commands";
import type { Link } from "./link";

/** The formats by the names that the server gives them; those with a duration are films. */
const FORMATS: { name: string; label: string; film?: boolean; sized?: boolean }[] = [
  { name: "png", label: "PNG", sized: true },
  { name: "png16", label: "PNG of 16 bits", sized: true },
  { name: "webp", label: "WebP", sized: true },
  { name: "jpeg", label: "JPEG", sized: true },
  { name: "mp4", label: "MP4, moving", film: true, sized: true },
  { name: "gif", label: "GIF, moving", film: true, sized: true },
  { name: "movingwebp", label: "WebP, moving", film: true, sized: true },
  { name: "apng", label: "PNG, moving", film: true, sized: true },
  { name: "html", label: "A page that draws it", sized: true },
  { name: "c", label: "C" },
  { name: "python", label: "Python" },
];
const SECONDS = 2;
const RATE = 25;

type State = { is: "asked" } | { is: "going"; done: number; total: number } | { is: "ending" } | { is: "refused"; text: string };

interface Asked {
  link: Link;
  viewer: Viewer;
  /** The text and the name of the file, for an export of the text itself. */
  text: string;
  file: string;
  /** Seconds after which the picture begins again, as the timeline has them. */
  seconds?: number;
  close(): void;
}

/** Even sides, which films need, near to those of the canvas. */
function even(side: number): number {
  return Math.max(2, side - (side % 2));
}

let asks = 0;

export function Export({ link, viewer, text, file, seconds = SECONDS, close }: Asked) {
  const [format, setFormat] = useState("png");
  const [size, setSize] = useState([even(viewer.canvas.width), even(viewer.canvas.height)]);
  const [[duration, rate], setTimes] = useState([seconds, RATE]);
  const [state, setState] = useState<State>({ is: "asked" });
  const ask = useRef("");
  const chosen = FORMATS.find((each) => each.name === format)!;
  useEffect(() => link.listen((message) => {
    if (message.kind === "document") {
      setState((now) => (now.is === "going" || now.is === "ending" ? { is: "refused", text: "The studio was gone meanwhile; try again." } : now));
    }
    if (message.ask !== ask.current) return;
    if (message.kind === "exporting") setState((now) => (now.is === "going" ? { is: "going", done: message.done, total: message.total } : now));
    if (message.kind === "refused") setState({ is: "refused", text: message.text });
    if (message.kind === "cancelled") setState({ is: "asked" });
    if (message.kind === "exported") {
      location.assign(`exported?key=${message.key}`);
      close();
    }
  }), [link]);
  // Whoever closes the dialog no longer waits for what is made.
  useEffect(() => () => void link.say({ kind: "cancel" }), [link]);

  function begin() {
    if (format === "python") {
      const made = document.createElement("a");
      made.href = URL.createObjectURL(new Blob([text], { type: "text/x-python" }));
      made.download = file.split("/").at(-1)!;
      made.click();
      URL.revokeObjectURL(made.href);
      return close();
    }
    const { center, zoom, time, params } = viewer.view;
    ask.current = `export ${++asks}`;
    const view = { width: size[0], height: size[1], center, zoom, params, time: chosen.film ? 0 : time };
    if (link.say({ kind: "export", ask: ask.current, format, ...view, seconds: duration, fps: rate })) setState({ is: "going", done: 0, total: 0 });
    else setState({ is: "refused", text: "The studio does not answer; try again." });
  }

  const busy = state.is === "going" || state.is === "ending";
  const number = (label: string, value: number, set: (to: number) => void) => (
    <label>{label}<input type="number" min={0} step="any" value={value} disabled={busy} onChange={(event) => set(Number(event.target.value))} /></label>
  );
  return (
    <Modal title="Export" close={close}>
      <form className="export" onSubmit={(event) => (event.preventDefault(), begin())}>
        <label>File
          <select value={format} disabled={busy} autoFocus onChange={(event) => setFormat(event.target.value)}>
            {FORMATS.map((each) => <option key={each.name} value={each.name}>{each.label}</option>)}
          </select>
        </label>
        {chosen.sized && number("Width in pixels", size[0], (to) => setSize([to, size[1]]))}
        {chosen.sized && number("Height in pixels", size[1], (to) => setSize([size[0], to]))}
        {chosen.film && number("Seconds", duration, (to) => setTimes([to, rate]))}
        {chosen.film && number("Frames a second", rate, (to) => setTimes([duration, to]))}
        {state.is === "refused" && <p className="bad" role="alert">{state.text}</p>}
        {busy && (
          <p role="status">
            <progress aria-label={chosen.film ? "Frames" : "Rows"} {...(state.is === "going" && state.total ? { value: state.done, max: state.total } : {})} />
            {state.is === "ending" ? " It ends." : state.total ? ` ${state.done} of ${state.total} ${chosen.film ? "frames" : "rows"}` : " It is being made."}
          </p>
        )}
        <p className="buttons">
          {busy
            ? <button type="button" onClick={() => (setState({ is: "ending" }), link.say({ kind: "cancel" }))}>Cancel</button>
            : <button>Make the file</button>}
          <button type="button" onClick={close}>Close</button>
        </p>
      </form>
    </Modal>
  );
}
