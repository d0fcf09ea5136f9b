// The numbers of the line at hand: a slider and an exact field for each. A drag is one step of the history.
import { useEffect, useRef, useState } from "react";

import { type Editor } from "./editor";
import { digitsOf, labelOf, type Literal, rangeOf, stepOf } from "./numbers";

const MIN_DIGITS = 2; // of a number with a point while it slides: fewer would jump

function Row({ editor, at, label }: { editor: Editor; at: Literal; label: string }) {
  const [[low, high], setRange] = useState(() => rangeOf(at.value));
  const [typed, setTyped] = useState<string | null>(null);
  const drag = useRef<Literal | null>(null);
  const whole = !/[.eE]/.test(at.text);
  useEffect(() => {
    if (at.value < low || at.value > high) setRange(rangeOf(at.value));
  }, [at.value]);
  const slide = (value: number) => {
    const begins = drag.current === null;
    const from = drag.current ?? at;
    const text = whole ? from.text : `0.${"0".repeat(Math.max(MIN_DIGITS, digitsOf(from.text)))}`;
    drag.current = editor.setNumber(from, value, begins, text);
  };
  const end = () => {
    if (drag.current) editor.endStep();
    drag.current = null;
  };
  const enter = () => {
    const value = Number(typed);
    if (typed !== null && typed.trim() && Number.isFinite(value)) {
      editor.setNumber(at, value, true, typed.trim());
      editor.endStep();
    }
    setTyped(null);
  };
  return (
    <div className="number">
      <span className="label">{label}</span>
      <input
        type="range" aria-label={label} aria-valuetext={at.text} min={low} max={high} step={whole ? 1 : "any"}
        value={at.value} onChange={(event) => slide(Number(event.target.value))}
        onPointerUp={end} onKeyUp={end} onBlur={end}
      />
      <input
        className="exact" aria-label={`${label}, exactly`} inputMode="decimal" value={typed ?? at.text}
        onChange={(event) => setTyped(event.target.value)} onBlur={enter}
        onKeyDown={(event) => {
          if (event.key === "Enter") enter();
          if (event.key === "Escape") setTyped(null);
          if (event.key === "ArrowUp" || event.key === "ArrowDown") {
            event.preventDefault();
            editor.setNumber(at, at.value + (event.key === "ArrowUp" ? 1 : -1) * stepOf(at.text), true);
            editor.endStep();
          }
        }}
      />
    </div>
  );
}

export function Inspector({ editor, numbers, line }: { editor: Editor | null; numbers: Literal[]; line: number }) {
  const text = editor && line <= editor.view.state.doc.lines ? editor.view.state.doc.line(line) : null;
  return (
    <section className="pane inspector" aria-label="Numbers">
      <h2>Numbers of line {line}</h2>
      {editor && text && numbers.map((at, index) => (
        <Row key={`${line} ${index}`} editor={editor} at={at} label={labelOf(text.text, at.from - text.from)} />
      ))}
      {!numbers.length && <p className="hint">Put the cursor on a line with numbers, and slide them here.</p>}
    </section>
  );
}
