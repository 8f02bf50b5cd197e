import { lru } from "../base/cache.ts";
import type { ReadRequest } from "./read-messages.ts";

/** So many in a row are no coincidence. */
const TELLING_ROW = 4;
const CONVERSATIONS_KEPT = 200;

/**
 * Notices a host whose replies are not recognised: new conversations in a row, each begun in the
 * same words by a longer request, with replies that were archived nowhere. Answers true once a row.
 */
export function createRows() {
  const rows = lru<string, { count: number; length: number }>(CONVERSATIONS_KEPT, () => 1);
  return ({ root, label, readings }: ReadRequest, matched: number): boolean => {
    const [first] = readings;
    // An edited question is a branch, and shows no reply of its own.
    if (!first || !readings.slice(matched).some(({ assistant }) => assistant)) return false;
    const key = `${root} ${label ?? ""} ${first.said()}`;
    const { count, length } = rows.peek(key) ?? { count: 0, length: 0 };
    const next = { count: readings.length > length ? count + 1 : 1, length: readings.length };
    rows.set(key, next);
    return next.count === TELLING_ROW;
  };
}
