import { useEffect, useRef, useState } from "preact/hooks";
import { type Loading, type Refused, whoami } from "./api.ts";
import { minuteOf, since } from "./format.ts";
import { type Children, h, html } from "./html.ts";
import { held } from "./store.ts";

/** A sentence on what was done, and how to take it back. */
interface Saying {
  text: string;
  bad?: boolean;
  undo?: () => Promise<unknown>;
}
export const said = held<Saying | undefined>(undefined);
export const say = (text: string, undo?: () => Promise<unknown>): void =>
  said.set(undo === undefined ? { text } : { text, undo });
export const complain = (refused: Refused): void => said.set({ text: refused.message, bad: true });

/** Takes back what was done last. */
export async function undoLast(): Promise<void> {
  const undo = said.get()?.undo;
  if (undo === undefined) return;
  said.set(undefined);
  await undo().then(() => say("Undone."), complain);
}

/** The heading is what a view begins with, and where the focus goes when it opens. */
export function Page(given: {
  title: string;
  lead?: Children;
  actions?: Children;
  children?: Children;
}): Children {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${given.title} · Tidemark`;
  }, [given.title]);
  useEffect(() => {
    if (history.length > 1 && opened) heading.current?.focus();
    opened = true;
  }, []);
  return html`
    <header class="head">
      <div>
        <h1 ref=${heading} tabindex="-1">${given.title}</h1>
        ${given.lead && html`<div class="lead">${given.lead}</div>`}
      </div>
      ${given.actions && html`<div class="actions">${given.actions}</div>`}
    </header>
    ${given.children}`;
}
let opened = false;

/** Shows an answer, the wait for it, or why there is none. */
export function shown<T>(
  { data, error, reload }: Loading<T>,
  show: (data: T) => Children,
): Children {
  const isGone = error?.status === 404 && data !== undefined;
  const trouble =
    error &&
    html`<div class="trouble" role="alert" key="trouble">
      <p>${isGone ? "It is gone: somebody took it away while you looked." : error.message}</p>
      ${error.status !== 404 && html`<button onClick=${reload}>Try again</button>`}
    </div>`;
  if (data !== undefined) return [trouble, show(data)];
  return trouble ?? html`<p class="wait" role="status">Loading…</p>`;
}

/** Nothing is here yet: says what would be, and what to do to see it. */
export const empty = (title: string, ...lines: Children[]): Children =>
  html`<div class="empty">
    <svg viewBox="0 0 120 40" aria-hidden="true">
      <path d="M0 26q15-8 30 0t30 0 30 0 30 0V40H0z" /></svg>
    <h2>${title}</h2>
    ${lines.map((line) => html`<p>${line}</p>`)}
  </div>`;

export const when = (at: number): Children =>
  html`<time datetime=${new Date(at).toISOString()} title=${minuteOf(at)}>${since(at)}</time>`;

/** Names and values under each other. */
export const facts = (...pairs: [name: string, value: Children][]): Children =>
  html`<dl class="facts">
    ${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;

/** A share as a bar with its figure beside it. */
export const bar = (value: number, label: string, kind = ""): Children =>
  html`<span class=${`bar ${kind}`} role="img" aria-label=${label}>
    <span style=${{ width: `${Math.min(1, Math.max(0, value)) * 100}%` }}></span>
  </span>`;

/** True where the server lets this identity change things. */
export const useWrites = (): boolean => whoami.use()?.write === true;

/** Long text as lines, a part at a time. */
const FIRST_LINES = 40;
const FIRST_CHARACTERS = 6_000;
const MORE = 25;
export function LongText({ text }: { text: string }): Children {
  const [times, grow] = useState(1);
  const lines = linesIn(text, FIRST_LINES * times);
  const end = Math.min(lines, FIRST_CHARACTERS * times);
  const left = text.length - end;
  return html`<pre class="words">${text.slice(0, end)}${left > 0 && "…"}</pre>
    ${
      left > 0 &&
      html`<button class="more" onClick=${() => grow(times * MORE)}>
      Show more: ${left.toLocaleString("en")} characters are left out
    </button>`
    }`;
}

/** Finds the end of a number of lines; a text of a million is not cut into them for it. */
function linesIn(text: string, lines: number): number {
  let at = -1;
  for (let line = 0; line < lines; line++) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return text.length;
  }
  return at;
}

/** A dialog over the page; Escape closes it. */
export function Dialog(given: { title: string; close: () => void; children?: Children }): Children {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.showModal();
    return () => void (before instanceof HTMLElement && before.focus());
  }, []);
  return html`<dialog ref=${box} aria-labelledby="dialog-title" onClose=${given.close}>
    <h2 id="dialog-title">${given.title}</h2>
    ${given.children}
  </dialog>`;
}

/** Asks before what cannot be taken back. */
export const confirming = (
  title: string,
  {
    words,
    verb,
    close,
    act,
  }: { words: Children; verb: string; close: () => void; act: () => void },
): Children =>
  h(
    Dialog,
    { title, close },
    html`<div>${words}</div>
      <div class="actions">
        <button onClick=${close}>Cancel</button>
        <button class="danger" onClick=${() => (close(), act())}>${verb}</button>
      </div>`,
  );
