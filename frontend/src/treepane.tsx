// The tree pane: the cards or the outline, and the edits that fit what is selected.
import { lazy, memo, Suspense, useCallback, useDeferredValue, useEffect, useState } from "react";

import type { Editing, Offer } from "./editing";
import type { Editor } from "./editor";
import { Outline } from "./outline";
import { neighbor } from "./tree";

const Graph = memo(lazy(() => import("./graph").then(({ Graph: made }) => ({ default: made }))));

/** The keys of edits while the tree has the focus. */
export const EDIT_KEYS: Record<string, string> = {
  "/": "use", W: "wrap", U: "unwrap", S: "swap", Delete: "delete", D: "duplicate", E: "extract", I: "inline",
  P: "make_parameter", A: "animate", B: "abstract", Enter: "replace", G: "set_argument",
};

const VIEW = "pellucid studio: tree as";

interface Asked {
  editing: Editing;
  editor: Editor | null;
  make(offer: Offer): void;
  /** The part of all costs that each node has, while it is looked at. */
  heat: ReadonlyMap<number, number> | null;
}

export function keyOf(edit: string): string {
  return Object.entries(EDIT_KEYS).find(([, each]) => each === edit)?.[0] ?? "";
}

export function TreePane({ editing, editor, make, heat }: Asked) {
  const [view, setView] = useState(() => localStorage.getItem(VIEW) ?? "cards");
  const [inserting, setInserting] = useState<number | null>(null);
  const { offers, selected, tree } = editing;
  const show = (to: string) => (setView(to), localStorage.setItem(VIEW, to));
  const pressed = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey || (event.target as HTMLElement).matches("input, button")) return;
    const edit = EDIT_KEYS[event.key.length === 1 ? event.key.toUpperCase() : event.key];
    const offer = offers.find((each) => each.edit === edit);
    if (offer) {
      event.preventDefault();
      make(offer);
    } else if (edit) event.preventDefault();
  };
  const arrows = (event: React.KeyboardEvent) => {
    if (!event.key.startsWith("Arrow") || event.ctrlKey || event.altKey || event.metaKey) return pressed(event);
    event.preventDefault();
    const to = selected === null ? tree.picture : neighbor(tree, selected, event.key);
    if (to !== null) editing.select(to);
  };
  /** Wrap what a line leads to, as soon as it is known what fits. */
  const insert = useCallback((id: number) => {
    editing.select(id);
    setInserting(id);
  }, [editing.select]);
  // Cards are many, and follow when there is time: a number that is dragged does not wait for them.
  const later = useDeferredValue(editing);
  useEffect(() => {
    const offer = inserting === selected && offers.find((each) => each.edit === "wrap");
    if (!offer) return;
    setInserting(null);
    make(offer);
  }, [inserting, selected, offers]);
  const shown = offers.filter((each) => each.edit !== "set_literal");
  return (
    <section className="pane tree" aria-label="Tree">
      <div className="tools" role="toolbar" aria-label="Edits">
        <button aria-pressed={view === "outline"} onClick={() => show(view === "outline" ? "cards" : "outline")}>Outline</button>
        {shown.map((offer) => (
          <button key={offer.edit} data-edit={offer.edit} title={`${offer.label} (${keyOf(offer.edit)})`} onClick={() => make(offer)}>{offer.label}</button>
        ))}
        {!shown.length && <span className="hint">Select a part of the picture.</span>}
      </div>
      {view === "outline" ? <Outline editing={editing} keys={pressed} heat={heat} /> : (
        <div className="cards" tabIndex={0} role="group" aria-label="Cards of the tree; the outline is its list" onKeyDown={arrows}>
          {editor && <Suspense><Graph editing={later} editor={editor} heat={heat} insert={insert} /></Suspense>}
        </div>
      )}
    </section>
  );
}
