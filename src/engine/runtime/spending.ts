import { costOf } from "../../dialect/models/capabilities.ts";
import type { Prices } from "../../model/request.ts";
import type { Counted, LastCall, Spent } from "../../model/ledger.ts";
import { NO_USAGE, readTokens, type Usage } from "../../model/ports.ts";

// All arithmetic of money and tokens. What was paid is what providers reported, at the price of the day. What the whole
// history would have cost is reckoned call by call from three things that are known: the size the provider reported, how
// much larger the caller's own request was by our count, and how much the provider read from its cache. What would have been
// written would have lived as long as what was.

/** A provider's cache lives five minutes from its last use unless an hour was paid for. */
const CACHE_MS = 300_000;
const HOUR_MS = 3_600_000;
/** Blocks before a mark in which a provider looks for what it has in its cache. A message is one at least. */
const LOOK_BACK = 20;
/** How far our own count may be off. */
export const COUNT = 1.1;

export const NOTHING: Spent = {
  ...NO_USAGE,
  calls: 0,
  failed: 0,
  ms: 0,
  estimated: 0,
  dollars: 0,
  unpriced: 0,
};

/** One call as a line's sum. */
export function spentOn(
  usage: Usage,
  about: { prices: Prices | undefined; ms?: number; estimated?: boolean; failed?: boolean },
): Spent {
  const { prices, ms = 0, estimated = false, failed = false } = about;
  const { input, cacheWrite, cacheRead, output } = usage;
  return {
    ...{ input, cacheWrite, cacheRead, output, calls: 1, ms },
    failed: Number(failed),
    estimated: Number(estimated),
    dollars: prices ? costOf(usage, prices) : 0,
    unpriced: prices ? 0 : 1,
  };
}

export function add(one: Spent, other: Spent): Spent {
  const names = Object.keys(NOTHING) as (keyof Spent)[];
  return Object.fromEntries(
    names.map((name) => [name, one[name] + other[name]]),
  ) as unknown as Spent;
}

/** A call of the caller's: what was reported of it, and by our own count what was sent and what the caller gave. */
interface Seen {
  readonly usage: Usage;
  readonly sent: number;
  readonly given: number;
  readonly at: number;
  readonly prefix: string;
  /** By our own count, in real tokens, how much of what was sent are instructions and tools. */
  readonly head: number;
  /** Absent: not known to be the same as before. */
  readonly model?: string;
  /** How many messages the caller gave; absent where the provider looks back for its cache as far as it likes. */
  readonly messages?: number;
}

const between = (least: number, value: number, most: number): number =>
  Math.min(most, Math.max(least, value));

/**
 * What the call would have taken with the whole history. What the provider did not read of the last request's end, it would not
 * have read of the whole's; where it read no more than instructions and tools, it would have read those. Only where we broke the
 * prefix ourselves is that not to be seen: then the share of it is the last one's while the cache lives, and nothing after. What is not read is written or plain, in the proportion it really was.
 */
export function unfolded(
  seen: Seen,
  latest: LastCall | undefined,
): { usage: Usage; last: LastCall } {
  const { usage, at, prefix, messages } = seen;
  const { last, others } = byModel(latest, seen.model);
  const read = readTokens(usage);
  const whole = wholeOf(seen, last);
  const counted = countedOf(seen, last);
  const cached = usage.cacheWrite + usage.cacheRead > 0;
  const { share, most } = reachOf(seen, last, cached);
  const cacheRead = Math.min(
    whole,
    most,
    last === undefined ? usage.cacheRead : share * last.whole,
  );
  const rest = whole - cacheRead;
  const fresh = usage.input + usage.cacheWrite;
  const cacheWrite = fresh > 0 ? (rest * usage.cacheWrite) / fresh : 0;
  const rounded = {
    cacheRead: Math.round(cacheRead),
    cacheWrite: Math.round(cacheWrite),
    input: 0,
    output: usage.output,
  };
  const lives = Math.round(livesHour(usage, last, whole));
  const long = longPart(usage, rounded);
  return {
    usage: {
      ...rounded,
      cacheWrite1h: long > 0 ? long : undefined,
      input: Math.max(0, Math.round(whole) - rounded.cacheRead - rounded.cacheWrite),
    },
    last: {
      at,
      sent: read,
      whole: Math.round(whole),
      share: shareNext(seen, last, { share, cached }),
      prefix,
      counted,
      hour: cached && lives > 0 ? lives : undefined,
      messages,
      others: others.length > 0 ? others : undefined,
    },
  };
}

/** Models taken in turn, beyond which the one that was not heard of for longest is begun anew. */
const MODELS = 4;

/** The last call of the model that was called now, which alone left something in its cache, and the last ones of others. */
function byModel(latest: LastCall | undefined, model: string | undefined) {
  if (latest === undefined) return { last: undefined, others: [] };
  const { others = [], ...newest } = latest;
  const all = [newest, ...others];
  const last = all.find(
    ({ counted }) => model === undefined || counted === undefined || counted.model === model,
  );
  return { last, others: all.filter((call) => call !== last).slice(0, MODELS - 1) };
}

/** A sum of differences may drift; our own count of a whole request is off by no more than this. */
const DRIFT = 1.5;

/**
 * The size of the whole history: what it was a call ago, and what came to it since. As long as the same is folded, the provider has
 * counted that itself; our own count stands only for what came in a call that folded. To count all that is folded by the measure of
 * what is sent would be off for good, because summaries and frozen text are not counted like a conversation.
 */
function wholeOf({ usage, sent, given, prefix, model }: Seen, last: LastCall | undefined): number {
  const read = readTokens(usage);
  if (sent === 0 || given === sent) return read;
  const ratio = read / sent;
  const counted = last?.counted;
  if (last === undefined || counted === undefined || counted.model !== model) return ratio * given;
  const byTalk = counted.grown.sent > 0 ? counted.grown.read / counted.grown.sent : ratio;
  const grown =
    last.prefix === prefix
      ? read - last.sent + byTalk * (given - counted.given - (sent - counted.sent))
      : byTalk * (given - counted.given);
  return between((ratio * given) / DRIFT, last.whole + grown, ratio * given * DRIFT);
}

function countedOf(
  { usage, sent, given, prefix, model }: Seen,
  last: LastCall | undefined,
): Counted | undefined {
  if (model === undefined) return undefined;
  const before = last?.counted?.model === model ? last.counted : undefined;
  const [read, counted] =
    last !== undefined && before !== undefined && last.prefix === prefix
      ? [readTokens(usage) - last.sent, sent - before.sent]
      : [0, 0];
  const grown = before?.grown ?? { read: 0, sent: 0 };
  return {
    sent,
    given,
    model,
    grown:
      read > 0 && counted > 0 ? { read: grown.read + read, sent: grown.sent + counted } : grown,
  };
}

/** How much of the whole lives for an hour: what was written so says it, and all before that; else as much as a call ago. */
function livesHour(
  { cacheRead, cacheWrite, cacheWrite1h = 0 }: Usage,
  last: LastCall | undefined,
  whole: number,
): number {
  if (cacheWrite1h > 0) return cacheWrite1h < cacheWrite ? cacheRead + cacheWrite1h : whole;
  const { hour = 0, whole: before } = last ?? { whole: 0 };
  return hour > 0 && hour >= before ? whole : hour;
}

/** All of it where all was; else what stands before the place up to which it really was, which is no further back. */
function longPart(
  { cacheWrite, cacheWrite1h = 0, cacheRead }: Usage,
  whole: Pick<Usage, "cacheWrite" | "cacheRead">,
): number {
  if (cacheWrite1h === 0) return 0;
  return cacheWrite1h >= cacheWrite
    ? whole.cacheWrite
    : between(0, cacheRead + cacheWrite1h - whole.cacheRead, whole.cacheWrite);
}

/** How much the next call may read of this one: what this one read of the last tells it, unless that was out of reach by then. */
function shareNext(
  seen: Seen,
  last: LastCall | undefined,
  { share, cached }: { share: number; cached: boolean },
): number {
  if (last === undefined) return cached ? 1 : share;
  return cached && (seen.at - last.at > CACHE_MS || isFar(seen, last)) ? last.share : share;
}

/** Another model was asked for so long that this one's cache is out of reach. */
const isFar = ({ messages = 0 }: Seen, last: LastCall): boolean =>
  messages - (last.messages ?? messages) > LOOK_BACK;

/** Which share of the last request would have been read, and how many tokens at most. */
function reachOf(seen: Seen, last: LastCall | undefined, cached: boolean) {
  const { usage, at, prefix, head } = seen;
  if (last === undefined || !cached) return { share: 0, most: Infinity };
  const age = at - last.at;
  if (last.prefix === prefix) {
    // Nothing but what stands before the last mark for an hour has lived on, or before the conversation: it is the same in both.
    const rest =
      age > CACHE_MS &&
      last.hour !== undefined &&
      last.hour < last.whole &&
      usage.cacheRead <= last.hour * COUNT;
    if (rest || usage.cacheRead <= head * COUNT)
      return {
        share: last.sent > 0 ? Math.min(1, usage.cacheRead / last.sent) : 0,
        most: usage.cacheRead,
      };
    // What was not read stands at the end, as much of it in both: a last message that was changed, a reply begun anew.
    return {
      share:
        between(0, last.whole - Math.max(0, last.sent - usage.cacheRead), last.whole) /
        Math.max(1, last.whole),
      most: Infinity,
    };
  }
  // What it reads then is the same in both.
  if (isFar(seen, last)) return { share: 1, most: usage.cacheRead };
  if (age <= CACHE_MS) return { share: last.share, most: Infinity };
  return age <= HOUR_MS ? { share: last.share, most: last.hour ?? 0 } : { share: 0, most: 0 };
}
