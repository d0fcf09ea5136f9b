// The page as a whole: panes, commands and their keys, and what the server says.
import { useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";

import type { Viewer } from "../../src/pellucid/notebook/explore.js";
import { isInline } from "./cards";
import { type Command, Help, Palette, Prompt } from "./commands";
import { type Offer, useEditing } from "./editing";
import { programOf } from "./carried";
import { Comparison } from "./comparing";
import { Editor } from "./editor";
import { Export } from "./exporting";
import { Grid } from "./grid";
import { Inspector } from "./inspector";
import { choices, type Library, library, type Word } from "./library";
import { Link, type Message } from "./link";
import { Handles, Probe } from "./overlay";
import { type Pane, Panes } from "./panes";
import { fillScreen, Looks, Picture } from "./picture";
import { type Explained, SeeThrough, sharesOf } from "./seeing";
import { History } from "./steps";
import { Splitter } from "./splitter";
import { stepBy, Timeline } from "./timeline";
import { nodeOf } from "./tree";
import { keyOf, TreePane } from "./treepane";
import { Variations } from "./variations";
import { type Parameter, Parameters } from "./watching";

const NOTICE_MS = 6000;
const LIBRARY_MS = 1000;
const GRID = "pellucid studio: grid";

type Problem = { from: number; to: number; message: string };
type WordDialog = { title: string; names: string[] | null; run(name: string, word: Word | null): void };
type Dialog = "none" | "palette" | "help" | "files" | "export" | { title: string; choices: Command[] } | WordDialog | { title: string; first: string; take(text: string): void };

export function App() {
  const file = useMemo(() => new URLSearchParams(location.search).get("file") ?? "", []);
  const [connected, setConnected] = useState(true);
  const [name, setName] = useState("");
  const [saved, setSaved] = useState(true);
  const [conflict, setConflict] = useState(false);
  const [notice, setNotice] = useState("");
  const [problems, setProblems] = useState<Problem[]>([]);
  const [ok, setOk] = useState(true);
  const [moves, setMoves] = useState(false);
  const [watching, setWatching] = useState(false);
  const [trusted, setTrusted] = useState(false);
  const [grid, setGrid] = useState(() => localStorage.getItem(GRID) === "shown");
  const [other, setOther] = useState<string | null>(null); // the text that the picture is compared with
  const [params, setParams] = useState<Parameter[]>([]);
  const [dialog, setDialog] = useState<Dialog>("none");
  const [words, setWords] = useState<Library | null>(null);
  const [pane, setPane] = useState("Numbers");
  const [explained, setExplained] = useState<Explained | null>(null);
  const [files, setFiles] = useState<string[]>([]);
  const [editor, setEditor] = useState<Editor | null>(null);
  const text = useRef<HTMLDivElement>(null);
  const picked = useRef<HTMLInputElement>(null);
  const viewer = useRef<Viewer | null>(null);
  const [shown, setShown] = useState<Viewer | null>(null);
  const setViewer = (made: Viewer) => ((viewer.current = made), setShown(made));
  const link = useMemo(() => new Link(file, setConnected), [file]);
  const looks = useMemo(() => new Looks(), []);
  const editing = useEditing(link, editor, setNotice);
  useEffect(() => {
    const made = new Editor(text.current!, {
      changed: () => setSaved(false),
      push: (version, updates) => link.say({ kind: "push", epoch: made.document, version, updates }),
    });
    setEditor(made);
    let home = false; // whether the place to look from is known
    const heard = (message: Message) => {
      switch (message.kind) {
        case "document":
          setName(message.name);
          setWatching(message.watch);
          setTrusted(message.trusted);
          document.title = `${message.name} - pellucid studio`;
          made.lost();
          made.take(message);
          setSaved(message.saved);
          if (message.recovered) setNotice("What was not saved when the studio ended is here again.");
          viewer.current?.forget();
          break;
        case "updates":
          made.receive(message);
          break;
        case "reading":
          // While changes follow each other, each text that is read is shown, and the tree of some.
          made.reached(message.version);
          if (message.ok && home) viewer.current?.touch();
          if (message.version !== made.version || !message.tree) break;
          setOk(message.ok);
          setProblems(message.problems);
          made.underline(message.problems);
          if (!message.ok) break;
          setParams(message.params);
          viewer.current?.setMoves(message.moves);
          setMoves(message.moves);
          if (!home) home = link.say({ kind: "home" });
          break;
        case "home":
          if (message.center) viewer.current?.lookAt({ center: message.center, zoom: message.zoom });
          break;
        case "saved":
          setConflict(false);
          if (message.version === made.version) setSaved(true);
          break;
        case "conflict":
          setConflict(true);
          break;
        case "explained":
          setExplained(message as unknown as Explained);
          break;
        case "notice":
          setNotice(message.text);
          break;
      }
    };
    const stop = link.listen(heard);
    return () => {
      stop();
      link.close();
      made.view.destroy();
    };
  }, [link]);

  useEffect(() => {
    // All who listen are there before anything is said.
    if (editor) link.open();
  }, [link, editor]);
  useEffect(() => {
    if (editor) editor.words = words;
  }, [editor, words]);
  useEffect(() => {
    // The library is there before anybody asks for it, and after the first picture.
    const bring = () => void library().then(setWords, () => setNotice("The library did not come; load the page again."));
    const timer = setTimeout(bring, LIBRARY_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => localStorage.setItem(GRID, grid ? "shown" : ""), [grid]);
  useEffect(() => {
    if (!connected) editor?.lost();
  }, [connected, editor]);
  useEffect(() => {
    const timer = setTimeout(() => setNotice(""), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [notice]);

  async function openFiles() {
    const found = await fetch("files");
    if (found.ok) setFiles(((await found.json()) as { files: string[] }).files);
    setDialog("files");
  }

  /** Make an edit of what is selected, after what it needs is chosen. */
  function make({ edit, label, needs }: Offer) {
    const id = editing.selected;
    if (id === null) return;
    const source = (node: number) => {
      const found = nodeOf(editing.tree, node);
      return found && editor ? editor.text.slice(found.start, found.end) : "";
    };
    const need = Object.entries(needs).find(([name, found]) => found || name === "text" && edit === "replace");
    if (!need) return editing.edit(id, edit, {});
    const [name, found] = need;
    const done = (value: unknown) => editing.edit(id, edit, { [name]: value });
    if (found === null) return setDialog({ title: label, first: source(id), take: done });
    if (name === "word") return setDialog({ title: label, names: found as string[], run: done });
    // What is made of something, rather than a number, is meant where there is one.
    const made = found.filter((each) => typeof each === "number" && nodeOf(editing.tree, each) && !isInline(nodeOf(editing.tree, each)!));
    if (found.length === 1 || (edit === "unwrap" && made.length === 1)) return done(found.length === 1 ? found[0] : made[0]);
    const shown = found.map((each) => ({ name: typeof each === "number" ? source(each) : each, keys: "", run: () => done(each) }));
    setDialog({ title: label, choices: shown });
  }

  /** Begin with a picture of the gallery in the place of the text: a step of the history, as every change. */
  function begin(_: string, word: Word | null) {
    if (word?.start) editor?.replace([{ start: 0, end: editor.text.length, text: word.start }], 0, 0, false, `Begin with ${word.name}`);
    link.say({ kind: "home" });
  }

  /** Put the program of a file in the place of the text: that of a PNG that was exported here, or one of Python. */
  async function take(file: File | undefined) {
    if (!file || !editor) return;
    if (watching) return setNotice("The file is only watched: change it in your editor.");
    // Whoever trusts the code of a file does not trust that of each file that is dropped.
    if (trusted) return setNotice("The code of this file is run as it is written, so no other is put in its place; open another file for it.");
    const found = await programOf(file);
    if (found === null) return setNotice(`${file.name} carries no program; PNG files that were exported here do.`);
    editor.replace([{ start: 0, end: editor.text.length, text: found }], 0, 0, false, `Begin with ${file.name}`);
    link.say({ kind: "home" });
  }

  function toPane(name: string, first: string) {
    // The pane is there before its first part is looked for: keys come at once.
    flushSync(() => setPane(name));
    const tab = document.querySelector<HTMLElement>(".panes [role=tab][aria-selected=true]");
    (document.querySelector<HTMLElement>(first) ?? tab)?.focus();
  }

  const gallery: WordDialog = { title: "Gallery", names: null, run: begin };
  const offered: Command[] = editing.offers
    .filter((each) => each.edit !== "set_literal")
    .map((each) => ({ name: each.label, keys: keyOf(each.edit) === "/" ? "/" : "", about: "what is selected", run: () => make(each) }));
  const use = editing.offers.find((each) => each.edit === "use");

  // What is done to the text: there is none where a file is only watched.
  const edits: Command[] = [
    { name: "Begin with a picture of the gallery", keys: "Alt-G", run: () => setDialog(gallery) },
    { name: "Begin with the program of a PNG or a file of Python", keys: "", run: () => picked.current?.click() },
    { name: "Select the picture", keys: "", run: () => editing.tree.picture !== null && editing.select(editing.tree.picture) },
    { name: other === null ? "Compare with the picture as it is now" : "End the comparison", keys: "B", run: () => setOther(other === null ? editor?.text ?? null : null) },
    { name: "Undo", keys: "Ctrl-Z", run: () => editor?.undo() },
    { name: "Redo", keys: "Ctrl-Y", run: () => editor?.redo() },
    { name: "Go to the text", keys: "Alt-2", run: () => editor?.view.focus() },
    { name: "Go to the numbers", keys: "Alt-3", run: () => toPane("Numbers", ".inspector input") },
    { name: "Go to the variations", keys: "Alt-6", run: () => toPane("Variations", ".variations button") },
    { name: "See through the picture", keys: "Alt-7", run: () => toPane("See through", ".costs button") },
    { name: "Go to the history", keys: "Alt-5", run: () => toPane("History", "[aria-current=step]") },
    { name: "Go to the tree", keys: "Alt-4", run: () => document.querySelector<HTMLElement>(".outline, .cards")?.focus() },
    { name: "Open a file", keys: "Ctrl-O", run: () => void openFiles() },
    { name: "Save now", keys: "Ctrl-S", run: () => link.say({ kind: "save" }) },
  ];
  const commands: Command[] = [
    { name: "Fit the picture", keys: "F", run: () => link.say({ kind: "home" }) },
    { name: "Zoom in", keys: "+", run: () => viewer.current?.zoomBy(1.25) },
    { name: "Zoom out", keys: "-", run: () => viewer.current?.zoomBy(0.8) },
    { name: "A frame on", keys: ".", run: () => viewer.current && moves && stepBy(viewer.current, 1) },
    { name: "A frame back", keys: ",", run: () => viewer.current && moves && stepBy(viewer.current, -1) },
    { name: "Play or pause", keys: "Space", run: () => viewer.current && moves && viewer.current.setPlaying(!viewer.current.isPlaying()) },
    { name: grid ? "Hide the grid" : "Show the grid", keys: "G", run: () => setGrid(!grid) },
    { name: "Fill the screen with the picture", keys: "Alt-Enter", run: fillScreen },
    { name: "Go to the picture", keys: "Alt-1", run: () => viewer.current?.canvas.focus() },
    ...(watching ? [] : edits),
    { name: "Go to the first mistake", keys: "F8", run: () => problems[0] && show(problems[0]) },
    { name: "Export a picture, a film or a program", keys: "Ctrl-E", run: () => setDialog("export") },
    { name: "Commands", keys: "Ctrl-K", run: () => setDialog("palette") },
    { name: "Keys", keys: "?", run: () => setDialog("help") },
  ];

  function show(problem: Problem) {
    editor?.view.dispatch({ selection: { anchor: problem.from }, scrollIntoView: true });
    editor?.view.focus();
  }

  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const typing = target.isContentEditable || (target instanceof HTMLInputElement && target.type !== "range");
      const control = event.ctrlKey || event.metaKey;
      const keys = (control ? "Ctrl-" : "") + (event.altKey ? "Alt-" : "") + (event.key === " " ? "Space" : event.key.length === 1 ? event.key.toUpperCase() : event.key);
      // The page is asked, not the state: a dialog tells that it closed a moment after it did, and keys come between.
      if (document.querySelector("dialog[open]") || event.defaultPrevented || (typing && !control && !event.altKey && keys !== "F8")) return;
      // The picture has keys of its own, and so have ranges; those with Control or Alt are of the page everywhere.
      const found = commands.find((each) => each.keys === (keys === "Ctrl-Shift-Z" ? "Ctrl-Y" : keys));
      if (keys === "/" && use) {
        event.preventDefault();
        make(use);
      }
      // A space is the button's or the card's where one has the focus.
      if (!found || ["+", "-"].includes(found.keys) || (found.keys === "Space" && target.matches("button, input, select, [tabindex]"))) return;
      if (typing && (found.keys === "Ctrl-Z" || found.keys === "Ctrl-Y") && target.isContentEditable) return;
      event.preventDefault();
      found.run();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });

  const panes: Pane[] = [
    { name: "Numbers", content: <Inspector editor={editor} editing={editing} /> },
    { name: "History", content: editor && <History editor={editor} /> },
    { name: "Variations", content: editor && <Variations link={link} editor={editor} editing={editing} compare={setOther} /> },
    { name: "See through", content: editor && <SeeThrough link={link} editing={editing} version={editor.version} explained={explained} /> },
  ];
  const heat = useMemo(() => (pane === "See through" && explained ? sharesOf(explained.costs) : null), [pane, explained]);
  const over = shown && editor && { link, viewer: shown, editor, editing, looks };
  return (
    <div
      className={`studio${watching ? " watching" : ""}`}
      onDragOver={(event) => event.dataTransfer.types.includes("Files") && event.preventDefault()}
      onDropCapture={(event) => {
        if (!event.dataTransfer.files.length) return;
        // The editor would write the bytes of the file into the text.
        event.stopPropagation();
        event.preventDefault();
        void take(event.dataTransfer.files[0]);
      }}
    >
      <input
        type="file" ref={picked} hidden accept=".png,.py" aria-label="A PNG or a file of Python"
        onChange={(event) => (void take(event.target.files?.[0]), (event.target.value = ""))}
      />
      <header>
        <h1><button className="file" onClick={() => void openFiles()} title="Open a file (Ctrl-O)">{name || "pellucid studio"}</button></h1>
        <span className="state" role="status">{!connected ? "" : watching ? "Watched" : saved ? "Saved" : "Not saved yet"}</span>
        <span className="space" />
        {!watching && <button onClick={() => editor?.undo()} title="Undo (Ctrl-Z)" aria-label="Undo">↶</button>}
        {!watching && <button onClick={() => editor?.redo()} title="Redo (Ctrl-Y)" aria-label="Redo">↷</button>}
        <button onClick={() => link.say({ kind: "home" })} title="Fit the picture (F)">Fit</button>
        {!watching && <button onClick={() => setDialog(gallery)} title="Begin with a picture of the gallery (Alt-G)">Gallery</button>}
        <button onClick={() => setDialog("export")} title="Export (Ctrl-E)">Export</button>
        <button onClick={() => setDialog("palette")} title="Commands (Ctrl-K)">Commands</button>
        <button onClick={() => setDialog("help")} title="Keys (?)" aria-label="Keys">?</button>
      </header>
      {!connected && <p className="banner bad" role="alert">The studio does not answer. What you write stays here, and is handed over when it is back.</p>}
      {conflict && (
        <p className="banner bad" role="alert">
          The file was changed by another program, and so was the text here.
          <button onClick={() => link.say({ kind: "decide", keep: "mine" })}>Keep the text here</button>
          <button onClick={() => link.say({ kind: "decide", keep: "theirs" })}>Take the file</button>
        </p>
      )}
      {notice && <p className="banner notice" role="status">{notice}</p>}
      <main>
        <div className="shown">
          <Picture link={link} wrong={!ok} ready={setViewer} looks={looks}>
            {shown && other !== null && (
              <Comparison link={link} viewer={shown} looks={looks} text={other} refused={(why) => (setOther(null), setNotice(why))} />
            )}
            {shown && grid && <Grid viewer={shown} looks={looks} />}
            {over && !watching && <Handles {...over} />}
            {over && <Probe {...over} />}
          </Picture>
          {shown && moves && <Timeline viewer={shown} looks={looks} />}
          {!watching && <Splitter name="height" label="Height of the picture" first={60} />}
          {!watching && <TreePane editing={editing} editor={editor} make={make} heat={heat} />}
        </div>
        <Splitter name="picture" label="Width of the picture" first={58} />
        <div className="side">
          <section className="pane text" aria-label="Text" hidden={watching}><div className="editor" ref={text} /></section>
          <ul className="problems" aria-label="Mistakes" aria-live="polite">
            {problems.map((each) => <li key={each.message}><button onClick={() => show(each)}>{each.message}</button></li>)}
          </ul>
          {!watching && <Panes shown={pane} show={setPane} panes={panes} />}
          {watching && shown && <section className="pane parameters" aria-label="Parameters"><Parameters viewer={shown} params={params} /></section>}
        </div>
      </main>
      {dialog === "palette" && <Palette title="Commands" commands={[...commands, ...offered]} close={() => setDialog("none")} />}
      {dialog === "help" && <Help commands={commands} close={() => setDialog("none")} />}
      {typeof dialog === "object" && "choices" in dialog && <Palette title={dialog.title} commands={dialog.choices} close={() => setDialog("none")} />}
      {typeof dialog === "object" && "names" in dialog && <Palette title={dialog.title} commands={choices(words, dialog.names, dialog.run)} close={() => setDialog("none")} />}
      {typeof dialog === "object" && "take" in dialog && <Prompt title={dialog.title} first={dialog.first} take={dialog.take} close={() => setDialog("none")} />}
      {dialog === "export" && viewer.current && editor && (
        <Export link={link} viewer={viewer.current} text={editor.text} file={name} seconds={viewer.current.clock.seconds} close={() => setDialog("none")} />
      )}
      {dialog === "files" && (
        <Palette
          title="Open a file" close={() => setDialog("none")}
          commands={files.map((each) => ({ name: each, keys: "", run: () => location.assign(`./?file=${encodeURIComponent(each)}`) }))}
        />
      )}
    </div>
  );
}
