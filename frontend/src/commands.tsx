// What can be done by name: the palette, which is searched, and the list of keys.
import { useLayoutEffect, useRef, useState } from "react";

export interface Command {
  name: string;
  keys: string;
  /** A sentence, and the style of a small picture. */
  about?: string;
  picture?: React.CSSProperties;
  run(): unknown;
}

/** The commands whose name has all letters of what is typed, in their order; those that begin with it come first. */
export function matching<T extends { name: string }>(commands: T[], typed: string): T[] {
  const wanted = typed.trim().toLowerCase();
  const fits = (name: string) => {
    let at = 0;
    for (const letter of name) if (letter === wanted[at]) at++;
    return at === wanted.length;
  };
  const rank = (name: string) => (name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2);
  return commands
    .filter((each) => fits(each.name.toLowerCase()))
    .sort((a, b) => rank(a.name.toLowerCase()) - rank(b.name.toLowerCase()));
}

/** A dialog over the page, which gives the focus back when it is closed. */
export function Modal({ title, close, children }: { title: string; close(): void; children: React.ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [before] = useState(() => document.activeElement as HTMLElement | null);
  useLayoutEffect(() => {
    const opened = dialog.current!;
    opened.showModal();
    return () => {
      // A dialog that is taken away does not give the focus back by itself, and while it is open nothing else can have it.
      opened.close();
      before?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog} aria-label={title} onClose={close}
      onPointerDown={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      {children}
    </dialog>
  );
}

export function Palette({ title, commands, close }: { title: string; commands: Command[]; close(): void }) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [moved, setMoved] = useState(false); // by keys: then the line is brought into sight
  const found = matching(commands, typed);
  const chosen = Math.min(at, found.length - 1);
  const run = (command: Command | undefined) => {
    close();
    // The dialog gives the focus back before the command may move it.
    if (command) setTimeout(() => command.run());
  };
  return (
    <Modal title={title} close={close}>
      <input
        role="combobox" aria-expanded="true" aria-controls="found" aria-label={title} placeholder={title} autoFocus
        aria-activedescendant={found.length ? `found-${chosen}` : undefined} value={typed}
        onChange={(event) => (setTyped(event.target.value), setAt(0))}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step && found.length) {
            event.preventDefault();
            setAt((chosen + step + found.length) % found.length);
            setMoved(true);
          }
          if (event.key === "Enter") run(found[chosen]);
        }}
      />
      <ul id="found" role="listbox" aria-label={title}>
        {found.map((each, index) => (
          <li
            key={`${index} ${each.name}`} id={`found-${index}`} role="option" aria-selected={index === chosen} data-name={each.name}
            ref={index === chosen && moved ? (line) => line?.scrollIntoView({ block: "nearest" }) : undefined}
            onPointerMove={() => (setAt(index), setMoved(false))} onClick={() => run(each)}
          >
            {each.picture && <span className="thumbnail" style={each.picture} />}
            <span className="what">{each.name}{each.about && <small>{each.about}</small>}</span>
            <kbd>{each.keys}</kbd>
          </li>
        ))}
      </ul>
      {!found.length && <p className="hint">Nothing has this name.</p>}
    </Modal>
  );
}

/** A line of text that a command needs. */
export function Prompt({ title, first, close, take }: { title: string; first: string; close(): void; take(text: string): void }) {
  const [typed, setTyped] = useState(first);
  return (
    <Modal title={title} close={close}>
      <form method="dialog" onSubmit={() => take(typed)}>
        <label>{title}<input autoFocus value={typed} onFocus={(event) => event.target.select()} onChange={(event) => setTyped(event.target.value)} /></label>
        <button>Done</button>
      </form>
    </Modal>
  );
}

const HANDS: [string, string][] = [
  ["Drag the picture", "move it"],
  ["Wheel, pinch", "zoom at the cursor"],
  ["Arrow keys on the picture", "move it"],
  ["0 on the picture", "begin again"],
  ["Arrow keys in the tree", "select what is around, inside, before and after"],
  ["Alt and drag a number of the text", "slide it"],
];

export function Help({ commands, close }: { commands: Command[]; close(): void }) {
  return (
    <Modal title="Keys" close={close}>
      <h2>Keys</h2>
      <dl>
        {commands.map((each) => <div key={each.name}><dt>{each.name}</dt><dd><kbd>{each.keys}</kbd></dd></div>)}
        {HANDS.map(([how, what]) => <div key={how}><dt>{how}</dt><dd>{what}</dd></div>)}
      </dl>
      <form method="dialog"><button autoFocus>Close</button></form>
    </Modal>
  );
}
