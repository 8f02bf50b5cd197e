/** A message as it is compared with others. */
interface Sign {
  /** Tells it from messages with other words. */
  readonly content: string;
  readonly role: string;
  /** The host's own name of it: other words under one name are the same message. */
  readonly ref?: string | undefined;
}

/** A message of the line: where it stood, and where its words were told now if they are new. */
export interface LinePlace {
  readonly known?: number;
  readonly told?: number;
}

/**
 * It bears a time or a reference of its own, so that its like is itself and not a repetition ("ok",
 * "ok").
 */
export const NAMED = "+";

/**
 * A known conversation as it reads once it was told again. A host passes all of it, or its last
 * part, or only what is new: where the beginning of what is told lies on the end of what is known,
 * all behind is new. Where half of what is known is told again, all else that stands between or
 * behind it gives way; else nothing does but what has a new form.
 */
export function retold(known: readonly Sign[], told: readonly Sign[]): LinePlace[] {
  const overlap = overlapOf(known, told);
  if (overlap === told.length) return known.map((_, position) => ({ known: position }));
  const same = aligned(known.map(keyOf), told.map(keyOf));
  const isWhole = same.length > overlap && same.length * 2 >= known.length;
  return isWhole ? wholly(known, told, same) : partly(known, told, overlap);
}

const keyOf = ({ ref, content }: Sign): string => ref ?? content;

function partly(known: readonly Sign[], told: readonly Sign[], overlap: number): LinePlace[] {
  const line: LinePlace[] = known.map((_, position) => ({ known: position }));
  const free = new Map(known.slice(0, known.length - overlap).map((one, at) => [keyOf(one), at]));
  const anew = overlap === 0 && told.length > 1 && told[0]?.content === known[0]?.content;
  for (const [at, sign] of told.entries()) {
    const isNamed = anew || sign.content.startsWith(NAMED);
    const position = isNamed ? free.get(keyOf(sign)) : undefined;
    if (at < overlap) continue;
    if (position === undefined) line.push({ told: at });
    else if (known[position]?.content !== sign.content)
      line[position] = { known: position, told: at };
    free.delete(keyOf(sign));
  }
  return line;
}

function wholly(known: readonly Sign[], told: readonly Sign[], same: readonly Pair[]): LinePlace[] {
  const line: LinePlace[] = [];
  const formOf = (at: number, position: number): LinePlace =>
    known[position]?.content === told[at]?.content
      ? { known: position }
      : { known: position, told: at };
  let [start, from] = [0, 0];
  for (const { at: end, position: to } of [...same, { at: told.length, position: known.length }]) {
    const fresh = told.slice(start, end);
    // A beginning or an end that nothing is told of is no gap.
    const isPart = fresh.length === 0 && (from === 0 || end === told.length);
    const isAlike = fresh.every(({ role }, nth) => known[from + nth]?.role === role);
    const isForm = fresh.length === to - from && isAlike;
    for (let nth = 0; nth < (isPart ? to - from : fresh.length); nth += 1) {
      if (isPart) line.push({ known: from + nth });
      else line.push(isForm ? formOf(start + nth, from + nth) : { told: start + nth });
    }
    if (end < told.length) line.push(formOf(end, to));
    [start, from] = [end + 1, to + 1];
  }
  return line;
}

/**
 * How much of the beginning of what is told ends what is known; all of it where that, two messages
 * or more, stands anywhere in it. Signs are as long as each other, and their first characters stand
 * nowhere else in them, so that texts of them can be compared.
 */
function overlapOf(known: readonly Sign[], told: readonly Sign[]): number {
  const [all, now] = [known, told].map((signs) => signs.map(({ content }) => content).join("")) as [
    string,
    string,
  ];
  if (told.length > 1 && all.includes(now)) return told.length;
  const width = told[0]?.content.length ?? 0;
  let overlap = Math.min(known.length, told.length);
  while (!all.endsWith(now.slice(0, overlap * width))) overlap -= 1;
  return overlap;
}

interface Pair {
  readonly at: number;
  readonly position: number;
}

/** Where messages that are found once in each, and in both in one order, stand in either. */
function aligned(before: readonly string[], now: readonly string[]): Pair[] {
  const [known, told] = [placesOf(before), placesOf(now)];
  let last = -1;
  return [...told].flatMap(([key, at]) => {
    const position = known.get(key) ?? -1;
    if (at < 0 || position <= last) return [];
    last = position;
    return { at, position };
  });
}

/** Where each key stands; -1 where it is found more than once. */
function placesOf(keys: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [at, key] of keys.entries()) places.set(key, places.has(key) ? -1 : at);
  return places;
}
