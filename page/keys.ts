import { held } from "./store.ts";
import { go } from "./place.ts";
import { undoLast } from "./ui.ts";

/** Views by the letter that is typed behind g. */
export const VIEWS = [
  ["n", "now", "Now"],
  ["c", "conversations", "Conversations"],
  ["m", "memories", "Memories"],
  ["p", "playground", "Playground"],
  ["f", "files", "Files"],
  ["r", "proposals", "Proposals"],
  ["u", "users", "Users"],
] as const;

export const KEYS: [keys: string, does: string][] = [
  ["?", "this list"],
  ...VIEWS.map(([key, , name]): [string, string] => [`g ${key}`, name]),
  ["/", "to the field that searches"],
  ["↑ ↓ Home End", "through rows, and through turns of a chart (← →)"],
  ["Enter", "opens the row"],
  ["e", "edits what is open"],
  ["u", "undoes what was done last"],
  ["Esc", "closes what is open"],
];

export const keyList = held(false);
const KEPT = "tidemark-keys-off";
/** Single letters are in the way of some who speak to their machine. */
export const keysOff = held(localStorage.getItem(KEPT) === "1");
export function switchKeys(off: boolean): void {
  localStorage.setItem(KEPT, off ? "1" : "");
  keysOff.set(off);
}

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");

/** Presses the button or fills the field of the view that asked for a key. */
function reach(key: string): boolean {
  const found = document.querySelector<HTMLElement>(`[data-key="${key}"]`);
  if (found === null) return false;
  found.focus();
  if (found instanceof HTMLButtonElement) found.click();
  return true;
}

export function hearKeys(): void {
  let after = "";
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (typing(target)) {
      if (key === "Escape" && target instanceof HTMLElement) target.blur();
      return;
    }
    if (document.querySelector("dialog[open]") !== null) return;
    const was = after;
    after = key;
    if (key === "?") keyList.set(true);
    else if (keysOff.get()) return;
    else if (was === "g") {
      const view = VIEWS.find(([letter]) => letter === key);
      if (view === undefined) return;
      after = "";
      go(`/${view[1]}`);
    } else if (key === "u") void undoLast();
    else if (!reach(key)) return;
    event.preventDefault();
  });
}
