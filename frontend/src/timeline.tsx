// The timeline of a picture that moves: play, scrub, a step of a frame, how long a round is, how fast it goes.
import type { Viewer } from "../../src/pellucid/notebook/explore.js";
import { type Looks, useLooks } from "./picture";

/** Frames a second that are stepped through. */
const RATE = 25;
const SPEEDS = [0.25, 0.5, 1, 2, 4];

/** Stop, and go to the frame before or after the one that is shown, around the end of a round. */
export function stepBy(viewer: Viewer, frames: number): void {
  viewer.setPlaying(false);
  const { seconds } = viewer.clock;
  const to = (Math.round(viewer.view.time * RATE) + frames) / RATE;
  viewer.goTo(Number((((to % seconds) + seconds) % seconds).toFixed(6)));
}

export function Timeline({ viewer, looks }: { viewer: Viewer; looks: Looks }) {
  useLooks(looks);
  const { clock, view } = viewer;
  const playing = viewer.isPlaying();
  const change = (to: Partial<Viewer["clock"]>) => {
    Object.assign(clock, to);
    viewer.goTo(Math.min(view.time, clock.seconds));
  };
  return (
    <div className="timeline" role="group" aria-label="Timeline">
      <button onClick={() => viewer.setPlaying(!playing)} title="Play or pause (Space)">{playing ? "Pause" : "Play"}</button>
      <button onClick={() => stepBy(viewer, -1)} title="A frame back (,)" aria-label="A frame back">‹</button>
      <button onClick={() => stepBy(viewer, 1)} title="A frame on (.)" aria-label="A frame on">›</button>
      <input
        type="range" aria-label="Time" aria-valuetext={`${view.time.toFixed(2)} seconds`} min={0} max={clock.seconds} step="any"
        value={view.time} onChange={(event) => viewer.goTo(Number(event.target.value))}
      />
      <output>{view.time.toFixed(2)} s</output>
      <label>of <input
        type="number" aria-label="Seconds of a round" min={0.1} step="any" defaultValue={clock.seconds}
        onChange={(event) => Number(event.target.value) > 0 && change({ seconds: Number(event.target.value) })}
      /> s</label>
      <button aria-pressed={clock.loops} onClick={() => change({ loops: !clock.loops })} title="Begin again at the end">Loop</button>
      <select aria-label="Speed" value={clock.speed} onChange={(event) => change({ speed: Number(event.target.value) })}>
        {SPEEDS.map((each) => <option key={each} value={each}>{each} ×</option>)}
      </select>
    </div>
  );
}
