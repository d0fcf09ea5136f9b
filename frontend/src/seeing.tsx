// See through: what becomes of the picture on its way to the machine, step by step, and what each node costs.
import { useEffect, useState } from "react";

import type { Editing } from "./editing";
import type { Link } from "./link";
import { nameOf, nodeOf } from "./tree";

interface Stage {
  name: string;
  title: string;
  text: string;
  size: string;
}

interface LedgerRow {
  move: string;
  about: string;
  site: string;
  label: string;
}

/** The report of a version of the text, as the server tells it. */
export interface Explained {
  version: number;
  stages: Stage[];
  ledger: LedgerRow[];
  summary: string;
  /** What each node adds to what it is made of, in cycles. */
  costs: Record<string, number>;
}

/** The part of all costs that each node has. */
export function sharesOf(costs: Record<string, number>): Map<number, number> {
  const all = Object.values(costs).reduce((sum, each) => sum + each, 0);
  return new Map(Object.entries(costs).map(([id, each]) => [Number(id), all ? each / all : 0]));
}

interface Asked {
  link: Link;
  editing: Editing;
  version: number;
  explained: Explained | null;
}

export function SeeThrough({ link, editing, version, explained }: Asked) {
  const [told, setTold] = useState("");
  const { tree, fresh } = editing;
  const old = explained?.version !== version;
  const ask = () => setTold(link.say({ kind: "explain", ask: "explain" }) ? "It is being compiled." : "The studio does not answer; try again.");
  useEffect(() => link.listen((message) => {
    // A studio that was gone answers nothing that it was asked before.
    if (message.kind === "document" && old) ask();
    if (message.ask === "explain") setTold(message.kind === "refused" ? message.text : "");
  }), [link, old]);
  useEffect(() => {
    // What is looked at is as new as the text.
    if (fresh && old) ask();
  }, [fresh, version]);
  if (!explained) return <p className="hint" role="status">{told || "There is nothing to see yet."}</p>;
  const shares = [...sharesOf(explained.costs)].filter(([id]) => nodeOf(tree, id)).sort((one, other) => other[1] - one[1]);
  return (
    <div className="seeing">
      {(old || told) && <p className="hint" role="status">{told || "The text has changed since."}</p>}
      <h2>Costs of a point, before any rule</h2>
      <ul className="costs" aria-label="Costs">
        {shares.slice(0, 12).map(([id, share]) => (
          <li key={id}>
            <button onClick={() => editing.select(id)}>{nameOf(tree, id) || nodeOf(tree, id)!.label}</button>
            <meter min={0} max={1} value={share} aria-label={`${nodeOf(tree, id)!.label}: ${Math.round(100 * share)} percent`} />
            <span>{Math.round(100 * share)} %</span>
          </li>
        ))}
      </ul>
      <h2>Stages</h2>
      {explained.stages.map((each) => (
        <details key={each.name}>
          <summary>{each.title} <span className="role">{each.size}</span></summary>
          <pre tabIndex={0} aria-label={each.name}>{each.text}</pre>
        </details>
      ))}
      <h2>Ledger</h2>
      <p>{explained.summary}</p>
      <ol className="ledger" aria-label="Ledger">
        {explained.ledger.map((each, index) => <li key={index}><b>{each.move}</b> {each.about} <span className="role">{each.label}</span></li>)}
      </ol>
    </div>
  );
}
