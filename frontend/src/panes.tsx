// The panes below the text, of which one is shown: each is a tab, and the arrow keys go from one to the next.
import { useRef } from "react";

export interface Pane {
  name: string;
  content: React.ReactNode;
}

interface Asked {
  panes: Pane[];
  shown: string;
  show(name: string): void;
}

export function Panes({ panes, shown, show }: Asked) {
  const list = useRef<HTMLDivElement>(null);
  const pressed = (event: React.KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const at = panes.findIndex((each) => each.name === shown);
    const to = (at + step + panes.length) % panes.length;
    show(panes[to].name);
    list.current?.querySelectorAll("button")[to].focus();
  };
  const pane = panes.find((each) => each.name === shown) ?? panes[0];
  return (
    <section className="pane panes" aria-label="Tools">
      <div className="tabs" role="tablist" aria-label="Tools" ref={list} onKeyDown={pressed}>
        {panes.map((each) => (
          <button
            key={each.name} role="tab" id={`tab-${each.name}`} aria-selected={each === pane} aria-controls="shown-pane"
            tabIndex={each === pane ? 0 : -1} onClick={() => show(each.name)}
          >{each.name}</button>
        ))}
      </div>
      <div className="content" role="tabpanel" id="shown-pane" aria-labelledby={`tab-${pane.name}`} tabIndex={0}>{pane.content}</div>
    </section>
  );
}
