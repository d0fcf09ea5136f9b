// Variations: nine pictures with other numbers and seeds to choose from, and snapshots, which are texts kept by name.
import { useEffect, useRef, useState } from "react";

import { Prompt } from "./commands";
import type { Editing } from "./editing";
import type { Editor, Replacement } from "./editor";
import { cell } from "./library";
import type { Link } from "./link";
import { mutation, random } from "./mutating";

const COUNT = 9;
const PICTURE_WIDTH = 120;
const STRENGTHS: [string, number][] = [["a little", 0.12], ["some", 0.35], ["much", 0.9]];

interface Asked {
  link: Link;
  editor: Editor;
  editing: Editing;
  /** Show the picture beside that of another text. */
  compare(text: string): void;
}

interface Shown {
  url: string;
  columns: number;
  /** The changes that have a picture, in the order of the sheet, and the text that they change. */
  changes: Replacement[][];
  text: string;
}

let asks = 0;

export function Variations({ link, editor, editing, compare }: Asked) {
  const { tree, fresh } = editing;
  const [strength, setStrength] = useState(STRENGTHS[1][1]);
  const [shown, setShown] = useState<Shown | null>(null);
  const [told, setTold] = useState("");
  const asked = useRef({ ask: "", changes: [] as Replacement[][], text: "" });
  useEffect(() => link.listen((message, data) => {
    // A studio that was gone answers nothing that it was asked before.
    if (message.kind === "document") setTold("");
    if (message.ask !== asked.current.ask) return;
    if (message.kind === "refused") setTold(message.text);
    if (message.kind !== "variations") return;
    const url = URL.createObjectURL(new Blob([data as DataView<ArrayBuffer>], { type: "image/png" }));
    const { changes, text } = asked.current;
    const found = (message.shown as number[]).map((index) => changes[index]);
    setTold(found.length ? "" : "None of them gives a picture; try again.");
    setShown({ url, columns: Math.min(message.columns, found.length || 1), changes: found, text });
  }), [link]);
  useEffect(() => () => URL.revokeObjectURL(shown?.url ?? ""), [shown]);
  const vary = () => {
    const { text } = editor;
    const next = random(Math.floor(Math.random() * 2 ** 32));
    const changes = Array.from({ length: COUNT }, () => mutation(tree, text, strength, next)).filter((each) => each.length);
    asked.current = { ask: `variations ${++asks}`, changes, text };
    if (!changes.length) return setTold("The text has no numbers to change.");
    const said = link.say({ kind: "variations", ask: asked.current.ask, version: editor.version, changes });
    setTold(said ? "They are being drawn." : "The studio does not answer; try again.");
  };
  const choose = (change: Replacement[]) => {
    const [first, last] = [change[0], change.at(-1)!];
    editor.replace(change, first.start, last.end, false, "Variation");
  };
  return (
    <div className="variations">
      <p className="row">
        <button disabled={!fresh} onClick={vary}>Nine variations</button>
        <label>that differ <select aria-label="Strength" value={strength} onChange={(event) => setStrength(Number(event.target.value))}>
          {STRENGTHS.map(([name, value]) => <option key={name} value={value}>{name}</option>)}
        </select></label>
      </p>
      {told && <p className="hint" role="status">{told}</p>}
      {shown && shown.text === editor.text && (
        <div className="choices" role="group" aria-label="Variations">
          {shown.changes.map((change, index) => (
            <button key={index} aria-label={`Variation ${index + 1}: ${change.map((each) => each.text).join(", ")}`} onClick={() => choose(change)}>
              <span className="thumbnail" style={cell(shown.url, index, shown.columns, PICTURE_WIDTH)} />
            </button>
          ))}
        </div>
      )}
      <Snapshots link={link} editor={editor} compare={compare} />
    </div>
  );
}

interface Snapshot {
  name: string;
  text: string;
}

function Snapshots({ link, editor, compare }: Omit<Asked, "editing">) {
  const [kept, setKept] = useState<Snapshot[]>([]);
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    const ask = () => link.say({ kind: "snapshots" });
    // There may be nobody to ask yet, or nobody any longer: each time that the document is opened it is asked again.
    const stop = link.listen((message) => {
      if (message.kind === "snapshots") setKept(message.snapshots);
      if (message.kind === "document") ask();
    });
    ask();
    return stop;
  }, [link]);
  const take = ({ name, text }: Snapshot) => {
    if (text !== editor.text) editor.replace([{ start: 0, end: editor.text.length, text }], 0, 0, false, `Snapshot ${name}`);
  };
  return (
    <>
      <h2>Snapshots</h2>
      <button onClick={() => setAsking(true)}>Keep this one</button>
      <ul className="snapshots" aria-label="Snapshots">
        {kept.map((each) => (
          <li key={each.name}>
            <button onClick={() => take(each)} title={`Go back to ${each.name}`}>{each.name}</button>
            <button onClick={() => compare(each.text)} aria-label={`Compare with ${each.name}`} title={`Compare with ${each.name}`}>A|B</button>
            <button onClick={() => link.say({ kind: "forget", name: each.name })} aria-label={`Forget ${each.name}`}>✕</button>
          </li>
        ))}
      </ul>
      {asking && (
        <Prompt
          title="Name of the snapshot" first={`Snapshot ${kept.length + 1}`} close={() => setAsking(false)}
          take={(name) => link.say({ kind: "snapshot", name, text: editor.text })}
        />
      )}
    </>
  );
}
