// The history as a list: the steps by their names, those that were undone too; a click goes there.
import { useEffect, useRef, useState } from "react";

import type { Editor } from "./editor";

export function History({ editor }: { editor: Editor }) {
  const [, set] = useState({});
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => editor.listen(() => set({})), [editor]);
  const { labels, at } = editor.steps;
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [at, labels.length]);
  return (
    <ol className="steps" aria-label="Steps" ref={list}>
      {["As it was opened", ...labels].map((label, index) => (
        <li key={index} className={index > at ? "undone" : ""}>
          <button aria-current={index === at ? "step" : undefined} onClick={() => editor.goTo(index)}>{label}</button>
        </li>
      ))}
    </ol>
  );
}
