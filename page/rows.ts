import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Children, html } from "./html.ts";

interface ListOf<T> {
  rows: readonly T[];
  label: string;
  /** Names of the columns, where there is room for columns. */
  heads: readonly string[];
  /** Pixels of each row. */
  height: number;
  href: (row: T) => string;
  show: (row: T) => Children;
  /** The place where the list was left is written down here. */
  spot: { top: number; active: number };
  /** Called when the end comes near. */
  end: () => void;
}

/** Rows beyond what is seen, above and below. */
const SPARE = 12;

/** A long list of links, of which those in sight are in the document. */
export function Rows<T extends { id: string }>(given: ListOf<T>): Children {
  const { rows, height, spot } = given;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(spot.top);
  const [tall, setTall] = useState(600);
  const [active, setActive] = useState(Math.min(spot.active, Math.max(0, rows.length - 1)));
  const focusing = useRef(false);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.scrollTop = spot.top;
    const watch = new ResizeObserver(() => setTall(element.clientHeight));
    watch.observe(element);
    return () => watch.disconnect();
  }, [spot]);
  const first = Math.max(0, Math.floor(top / height) - SPARE);
  const last = Math.min(rows.length, Math.ceil((top + tall) / height) + SPARE);
  useEffect(() => {
    if (last >= rows.length - SPARE) given.end();
  }, [last, rows.length]);
  useEffect(() => {
    if (!focusing.current) return;
    focusing.current = false;
    box.current?.querySelector<HTMLElement>(`[data-row="${active}"]`)?.focus();
  }, [active]);

  const move = (to: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    const element = box.current;
    if (element === null) return;
    if (next * height < element.scrollTop) element.scrollTop = next * height;
    if ((next + 1) * height > element.scrollTop + tall)
      element.scrollTop = (next + 1) * height - tall;
    focusing.current = true;
    spot.active = next;
    setActive(next);
  };
  const key = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(tall / height) - 1);
    const to = stepOf(event.key, { at: active, page, last: rows.length - 1 });
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(to);
  };
  const scrolled = ({ currentTarget }: Event): void => {
    if (!(currentTarget instanceof HTMLElement)) return;
    spot.top = currentTarget.scrollTop;
    setTop(spot.top);
  };
  const seen = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  if (rows.length > 0 && (active < first || active >= last)) seen.push(active);
  const one = (index: number): Children => {
    const row = rows[index];
    return (
      row &&
      html`<li key=${row.id} style=${{ top: `${index * height}px`, height: `${height}px` }}
        aria-posinset=${index + 1} aria-setsize=${rows.length}>
        <a href=${given.href(row)} data-row=${index} tabindex=${index === active ? 0 : -1}
          onFocus=${() => ((spot.active = index), setActive(index))}>${given.show(row)}</a>
      </li>`
    );
  };
  return html`<div class="rows" ref=${box} onScroll=${scrolled} onKeyDown=${key}>
    <div class="heads" aria-hidden="true">${given.heads.map(
      (head) => html`<span>
      ${head}</span>`,
    )}</div>
    <ul aria-label=${given.label} style=${{ height: `${rows.length * height}px` }}>
      ${seen.map(one)}</ul>
  </div>`;
}

/** The row that a key leads to. */
function stepOf(
  key: string,
  { at, page, last }: Record<"at" | "page" | "last", number>,
): number | undefined {
  const steps: Record<string, number> = {
    ...{ ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1 },
    ...{ PageDown: at + page, PageUp: at - page, Home: 0, End: last },
  };
  return steps[key];
}

/** Is the window narrow? */
export function useNarrow(): boolean {
  const query = "(max-width: 719px)";
  const [narrow, set] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const hear = (): void => set(media.matches);
    media.addEventListener("change", hear);
    return () => media.removeEventListener("change", hear);
  }, []);
  return narrow;
}
