import { useCallback, useLayoutEffect, useState } from "preact/hooks";
import { ask, type Refused } from "./api.ts";
import type { Items } from "./types.ts";

/** A list that was read so far, kept while the page is open: who comes back finds it as it was. */
export interface Pages<T> {
  items: T[];
  after?: string;
  /** The first page is there. */
  begun: boolean;
  done: boolean;
  asked?: Promise<void>;
  error?: Refused;
  /** A virtual list stood there. */
  top: number;
  active: number;
}

const kept = new Map<string, Pages<unknown>>();
/** Lists kept at once; the oldest goes. */
const KEPT_LISTS = 12;

function pagesOf<T>(path: string): Pages<T> {
  const fresh: Pages<unknown> = { items: [], begun: false, done: false, top: 0, active: 0 };
  const found = kept.get(path) ?? fresh;
  kept.delete(path);
  kept.set(path, found);
  const [oldest] = kept.keys();
  if (kept.size > KEPT_LISTS && oldest !== undefined) kept.delete(oldest);
  // The path says what its items are.
  return found as Pages<T>;
}

export interface Paging<T> extends Omit<Pages<T>, "top" | "active"> {
  spot: Pick<Pages<T>, "top" | "active">;
  /** Reads the next page, where there is one. */
  more(): Promise<void>;
  /** Reads the first page again. */
  refresh(): void;
}

/** Items of a further page: as many as the API gives at once. */
const NEXT = 1_000;
const joined = (path: string, after?: string): string =>
  after === undefined
    ? path
    : `${path.replace(/limit=\d+/, `limit=${NEXT}`)}&after=${encodeURIComponent(after)}`;

/** A list read a page at a time, by cursor; none where there is no path. */
export function usePages<T extends { id: string }>(given: string | false): Paging<T> {
  const path = given || "";
  const pages = pagesOf<T>(path);
  const [, again] = useState(0);
  const draw = useCallback(() => again((times) => times + 1), []);
  const more = useCallback((): Promise<void> => {
    const now = pagesOf<T>(path);
    if (now.done || now.asked) return now.asked ?? Promise.resolve();
    now.asked = ask<Items<T>>(joined(path, now.after))
      .then(({ items, after }) => {
        const known = new Set(now.items.map(({ id }) => id));
        now.items = [...now.items, ...items.filter(({ id }) => !known.has(id))];
        now.begun = true;
        now.done = after === undefined;
        delete now.error;
        if (after !== undefined) now.after = after;
      })
      .catch((error: Refused) => {
        now.error = error;
        now.done = true;
      })
      .finally(() => {
        delete now.asked;
        draw();
      });
    return now.asked;
  }, [path]);
  const refresh = useCallback(() => {
    const now = pagesOf<T>(path);
    ask<Items<T>>(path).then(
      ({ items, after }) => {
        // Further pages stay as they were read; their newest state is met when they are read anew.
        const fresh = new Set(items.map(({ id }) => id));
        const end = now.items.findIndex(({ id }) => id === items.at(-1)?.id) + 1;
        const rest = end === 0 ? [] : now.items.slice(end).filter(({ id }) => !fresh.has(id));
        now.items = [...items, ...rest];
        if (rest.length === 0) {
          now.done = after === undefined;
          if (after !== undefined) now.after = after;
        }
        now.begun = true;
        delete now.error;
        draw();
      },
      () => undefined,
    );
  }, [path]);
  useLayoutEffect(() => {
    if (path === "") return;
    if (pages.begun) refresh();
    else void more();
  }, [path]);
  return { ...pages, spot: pages, more, refresh };
}

/** Puts a changed item in its place in every list that was read, or takes it out. */
export function patchLists(id: string, next?: unknown): void {
  for (const pages of kept.values()) {
    const at = pages.items.findIndex((item) => (item as { id?: string }).id === id);
    if (at >= 0) pages.items = pages.items.toSpliced(at, 1, ...(next === undefined ? [] : [next]));
  }
}
