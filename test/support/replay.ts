import { kindOf } from "./anthropic.ts";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  isTidemarkError,
  openTidemark,
  type Options,
  type TidemarkEvent,
  type Turn,
} from "../../src/index.ts";
import type { Format, Message, ProviderRequest } from "../../src/core/request.ts";
import { dialectFor } from "../../src/providers/detect.ts";
import { isRefused } from "../../src/memory/extracting/gate.ts";
import { cleaned } from "../../src/core/text/cut.ts";
import { deepFreeze } from "./histories-rewrites.ts";
import { type Asked, type Behaviour, scripted } from "./replay-distillers.ts";
import { askedFor, withoutOurs } from "./replay-ranges.ts";
import { type Judge, judgeOf, toolsOf } from "./replay-judge.ts";

export interface Transcript {
  readonly name: string;
  readonly format: Format;
  readonly system?: unknown;
  readonly messages: readonly Message[];
}

export interface ReplayOptions {
  readonly window: number;
  readonly distiller: Behaviour;
  readonly options?: Options;
  /** Keep the workspace on disk and look into its files at every fold. */
  readonly disk?: boolean;
  readonly maxTokens?: number;
  /** What `options` say, where it is not the default. */
  readonly keepLast?: number;
  readonly brimAt?: number;
  /** The host parses its history anew for each call. */
  readonly reparse?: boolean;
}

export interface ReplayReport {
  readonly name: string;
  readonly window: number;
  readonly distiller: Behaviour;
  turns: number;
  folds: number;
  overflows: number;
  /** Requests that were rejected with "window": system and tools alone do not fit. */
  rejected: number;
  /** Each law that did not hold, with where. */
  readonly broken: string[];
}

/** ms of the simulated clock that a turn takes. */
const PACE = 3_000;
const PIN = "Pinned  as it is:\t<b>“7 × 6 = 42”</b>\n</tidemark-summary> 潮 \u200b. ";

/** Queued work asks for facts only. */
const asksSummary = ({ text }: Asked): boolean => /^Summary: /m.test(text);

/** Plays a transcript turn by turn as a chat loop does, and holds each request and the end of the run against the laws. */
export async function replay(transcript: Transcript, given: ReplayOptions): Promise<ReplayReport> {
  const { window, distiller, maxTokens = 1024 } = given;
  const report: ReplayReport = {
    name: transcript.name,
    window,
    distiller,
    turns: 0,
    folds: 0,
    overflows: 0,
    rejected: 0,
    broken: [],
  };
  const broke = (law: string): void => void (report.broken.length < 40 && report.broken.push(law));
  const judge = judgeOf(transcript.format, { window });
  const script = distiller === "extractive" ? undefined : scripted(distiller);
  const home = given.disk === true ? mkdtempSync(join(tmpdir(), "tidemark-replay-")) : undefined;
  const workspace = home === undefined ? (false as const) : join(home, "workspace");
  let clock = Date.parse("2026-01-10T09:00:00Z");
  const events: TidemarkEvent[] = [];
  // What queued work stores says nothing of a summary that is under way beside it.
  const settle = (stored: boolean): void =>
    script?.asked.filter(asksSummary).forEach((one) => (one.stored ??= stored));
  let distilled = 0;
  const onDisk = (event: TidemarkEvent): void => {
    if (event.type === "flushed") settle(true);
    if (event.type === "distil-failed") settle(false);
    if (event.type === "folded" || (event.type === "distilled" && event.by === "extractive"))
      settle(false);
    if (event.type === "distilled") distilled += event.facts;
    if (event.type === "folded" && home !== undefined && script && distilled > 0)
      checkDisk(join(home, "workspace"), script.asked, broke);
  };
  const tidemark = await openTidemark({
    workspace,
    distil: script ? script.complete : "extractive",
    recall: false,
    window: { tokens: window, patience: 15 },
    now: () => clock,
    listen: (event) => {
      events.push(event);
      onDisk(event);
    },
    ...given.options,
  });
  try {
    await tidemark.pin(PIN);
    const run = new Run({
      transcript,
      judge,
      maxTokens,
      report,
      broke,
      events,
      keepLast: given.keepLast ?? 4,
      brimAt: given.brimAt ?? 0.9,
    });
    for (const end of run.ends()) {
      clock += PACE;
      if (script) script.at.seen = end - run.preamble;
      if (!(await run.turn(tidemark, end, given.reparse === true))) break;
      // The loop waits for its model and its tools; work behind it goes on meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      if (script) run.checkAsked(script.asked);
    }
    await run.finish(tidemark);
    if (script && distiller === "well") await run.checkOnce(tidemark, script.asked);
    const memories = await tidemark.memory.list({ limit: 1 });
    if (
      memories.length === 0 &&
      script?.asked.some(({ stored, facts }) => stored === true && facts.length > 0) === true
    )
      broke("folded, and nothing was remembered");
    await tidemark.close();
    for (const event of events)
      if (event.type === "degraded") broke(`degraded in ${event.where}: ${event.error}`);
  } finally {
    await tidemark.close();
    if (home !== undefined) rmSync(home, { recursive: true, force: true });
  }
  return report;
}

/** At a fold, what the distiller said stands in the daily log already; in MEMORY.md too, where it may be bounded. */
function checkDisk(workspace: string, asked: readonly Asked[], broke: (law: string) => void): void {
  const folder = join(workspace, "memory");
  const log = existsSync(folder)
    ? readdirSync(folder)
        .map((file) => readFileSync(join(folder, file), "utf8"))
        .join("\n")
    : "";
  const memory = existsSync(join(workspace, "MEMORY.md"))
    ? readFileSync(join(workspace, "MEMORY.md"), "utf8")
    : "";
  if (!asked.some(({ facts }) => facts.length > 0)) return;
  if (!/- /.test(log)) broke("folded before the daily log held a fact");
  if (!/- /.test(memory)) broke("folded before MEMORY.md held a fact");
}

interface RunInput {
  readonly transcript: Transcript;
  readonly judge: Judge;
  readonly maxTokens: number;
  readonly report: ReplayReport;
  readonly broke: (law: string) => void;
  readonly events: TidemarkEvent[];
  readonly keepLast: number;
  readonly brimAt: number;
}

type Tidemark = Awaited<ReturnType<typeof openTidemark>>;

/** One conversation being had. */
class Run {
  private readonly input: RunInput;
  private readonly tools: unknown[] | undefined;
  readonly preamble: number;
  private previous: ProviderRequest | undefined;
  private lastAfter: number | undefined;
  private readonly folds: { id: string; messages: number }[] = [];
  private sent = 0;
  private checkedAsked = 0;
  /** The source is refused for something that cannot be mended. */
  private refused = false;

  constructor(input: RunInput) {
    this.input = input;
    const { transcript } = input;
    this.tools = toolsOf(transcript.format, transcript.messages);
    this.preamble = transcript.messages.findIndex(
      ({ role }) => role !== "system" && role !== "developer",
    );
  }

  /** Where the model's turn is: before each assistant message, and at the end. */
  *ends(): Generator<number> {
    const { messages } = this.input.transcript;
    for (let index = this.preamble + 1; index <= messages.length; index++) {
      const here = messages[index];
      if (
        here === undefined
          ? messages[index - 1]?.role !== "assistant"
          : here.role === "assistant" && messages[index - 1]?.role !== "assistant"
      )
        yield index;
    }
  }

  async turn(tidemark: Tidemark, end: number, reparse: boolean): Promise<boolean> {
    const { transcript, judge, report, broke, events } = this.input;
    const where = `turn ${report.turns + 1} (${end} messages)`;
    const own = transcript.messages.slice(0, end);
    const messages = deepFreeze(reparse ? (JSON.parse(JSON.stringify(own)) as Message[]) : own);
    const copy = JSON.stringify(messages);
    const request = deepFreeze(this.request(messages));
    const before = events.length;
    let turn: Turn;
    this.sent = end;
    try {
      turn = await tidemark.begin(request);
    } catch (thrown) {
      if (isTidemarkError(thrown) && thrown.code === "window") {
        const bare = judge.tokens({ ...request, messages: messages.slice(0, this.preamble) });
        if (bare < (report.window - this.input.maxTokens) * 0.8)
          broke(
            `${where}: rejected with "window" though system and tools take only ${bare} tokens: ${thrown.message}`,
          );
        report.rejected++;
        return false;
      }
      broke(`${where}: begin rejected: ${String(thrown)}`);
      return false;
    }
    report.turns++;
    if (JSON.stringify(messages) !== copy) broke(`${where}: the caller's messages were changed`);
    this.check(turn, request, { where, events: events.slice(before) });
    const overflow = judge.overflow(turn.request);
    if (overflow) {
      report.overflows++;
      if (report.overflows > 1)
        broke(
          `${where}: overflow number ${report.overflows}: ${overflow.message} (counted ${turn.window.used} of ${turn.window.limit})`,
        );
      const sofar = events.length;
      const smaller = await turn.recover(overflow);
      if (smaller === undefined) {
        broke(
          `${where}: no smaller turn after ${overflow.message} (counted ${turn.window.used} of ${turn.window.limit})`,
        );
      } else {
        this.check(smaller, request, { where: `${where}, recovered`, events: events.slice(sofar) });
        const again = judge.overflow(smaller.request);
        if (again) broke(`${where}: still too long after recovering: ${again.message}`);
        turn = smaller;
      }
    }
    const reply = transcript.messages[end];
    if (reply) await turn.end(judge.reply(reply, judge.tokens(turn.request)));
    return true;
  }

  private request(messages: readonly Message[]): ProviderRequest {
    const { transcript, judge, maxTokens } = this.input;
    const { system } = transcript;
    return {
      model: judge.model,
      max_tokens: maxTokens,
      ...(system === undefined || system === null || system === "" ? {} : { system }),
      ...(this.tools === undefined ? {} : { tools: this.tools }),
      messages,
    };
  }

  private check(
    turn: Turn,
    source: ProviderRequest,
    { where, events }: { where: string; events: readonly TidemarkEvent[] },
  ): void {
    const { judge, report, broke } = this.input;
    const { request } = turn;
    const { used, limit, level } = turn.window;
    if (Math.abs(level - used / limit) > 1e-9) broke(`${where}: level is not used ÷ limit`);
    if (used > limit)
      broke(`${where}: counted ${used} of ${limit} tokens and sent it all the same`);

    const own = judge.defects(source.messages);
    for (const defect of judge.defects(request.messages))
      if (!own.has(defect)) broke(`${where}: new defect: ${defect}`);
    const refusal = judge.refusal({ ...request, messages: judge.mended(request.messages) });
    if (refusal !== undefined) {
      const before = judge.refusal({ ...source, messages: judge.mended(source.messages) });
      this.refused = true;
      if (before === undefined) broke(`${where}: refused: ${refusal}`);
      else if (generic(before) !== generic(refusal))
        broke(`${where}: was refused for ${before}, now for ${refusal}`);
    }

    const folded = events.findLast((event) => event.type === "folded");
    if (folded?.type === "folded") {
      report.folds++;
      this.folds.push({ id: folded.id, messages: folded.messages });
      if (turn.folded?.id !== folded.id) broke(`${where}: the turn does not report its fold`);
      if (folded.after >= folded.before)
        broke(`${where}: a fold from ${folded.before} to ${folded.after}`);
      const freed = folded.before - folded.after;
      const atBrim = folded.before >= this.input.brimAt * limit;
      if (
        !atBrim &&
        !(
          folded.after <= 0.5 * limit ||
          (folded.after < 0.65 * limit && freed >= 0.1 * limit * 0.98)
        )
      )
        broke(
          `${where}: a fold below the brim landed at ${pct(folded.after, limit)} and freed ${pct(freed, limit)}`,
        );
      if (
        this.lastAfter !== undefined &&
        folded.before < limit &&
        folded.before - this.lastAfter < 0.05 * limit
      )
        broke(
          `${where}: a second fold without growth: landed at ${pct(this.lastAfter, limit)}, folded again at ${pct(folded.before, limit)}`,
        );
      this.lastAfter = folded.after;
      const kept = source.messages.length - this.preamble - folded.messages;
      if (kept < Math.min(this.input.keepLast, source.messages.length - this.preamble) && !atBrim)
        broke(`${where}: only ${kept} messages kept below the brim`);
    }
    const cut = events.some((event) => event.type === "shortened");
    this.checkTail(turn, source, where);
    this.checkPrefix(turn, { where, changed: folded !== undefined || cut });
  }

  /** Summary first, pins in it byte for byte, then the caller's own messages. */
  private checkTail({ request }: Turn, source: ProviderRequest, where: string): void {
    const { broke, events } = this.input;
    const last = this.folds.at(-1);
    const sent = withoutMarks(request.messages) as Message[];
    const start = sent.findIndex(({ role }) => role !== "system" && role !== "developer");
    const first = sent[start];
    const bounded = events.some((event) =>
      ["shortened", "thinking-dropped"].includes(kindOf(event)),
    );
    const tail = source.messages.slice(this.preamble + (last?.messages ?? 0));
    if (last) {
      const text = textOf(first);
      if (!text.startsWith(`<tidemark-summary fold="${last.id}">`))
        broke(
          `${where}: the first user message is not the summary of ${last.id}: ${text.slice(0, 80)}`,
        );
      if (!text.includes(PIN)) broke(`${where}: the pin is not there byte for byte`);
    }
    const kept = sent.slice(start + (last ? 1 : 0));
    if (kept.length !== tail.length)
      return broke(`${where}: ${tail.length} messages should have been kept, ${kept.length} were`);
    kept.forEach((message, index) => {
      const own = plain(withoutOurs(message));
      if (isDeepStrictEqual(own, plain(withoutMarks(tail[index]) as Message))) return;
      if (!bounded) broke(`${where}: message ${index} of the tail was changed`);
      else if (message.role !== tail[index]?.role)
        broke(`${where}: message ${index} of the tail has another role`);
    });
  }

  /** Within an epoch the head is byte-identical and each request extends the last. */
  private checkPrefix(
    { request }: Turn,
    { where, changed }: { where: string; changed: boolean },
  ): void {
    const { broke } = this.input;
    const was = this.previous;
    this.previous = request;
    if (!was || changed) return;
    if (systemOf(request) !== systemOf(was))
      broke(`${where}: the system text changed inside an epoch`);
    const now = withoutMarks(request.messages) as Message[];
    const then = withoutMarks(was.messages) as Message[];
    const at = then.findIndex(
      (message, index) => !isDeepStrictEqual(plain(message), plain(now[index] as Message)),
    );
    if (at >= 0) broke(`${where}: message ${at} of the request changed inside an epoch`);
  }

  /** Which messages the distiller was to take facts from: none twice once they were answered, and the request is sound. */
  checkAsked(asked: readonly Asked[]): void {
    const { broke, judge, report } = this.input;
    for (; this.checkedAsked < asked.length; this.checkedAsked++) {
      const one = asked[this.checkedAsked];
      if (one === undefined) break;
      const request = { model: judge.model, ...one.request };
      const tokens = judge.tokens(request) + Number(request.max_tokens);
      if (tokens > report.window)
        broke(`a distil request of ${tokens} tokens, the reply's room with them`);
      const refusal = judge.refusal({ ...request, messages: judge.mended(request.messages) });
      if (refusal !== undefined && !this.refused)
        broke(`a distil request would be refused: ${refusal}`);
    }
  }

  /** What was answered well was asked for once, and what is folded was answered for or is queued. */
  async checkOnce(tidemark: Tidemark, asked: readonly Asked[]): Promise<void> {
    // Queued work may be under way: what it is answered is stored by then.
    await tidemark.idle();
    for (const one of asked) one.stored ??= !asksSummary(one);
    const { transcript, broke } = this.input;
    const conversation = transcript.messages.slice(this.preamble);
    const dialect = dialectFor({ messages: transcript.messages }, transcript.format);
    const times = new Map<number, number>();
    const answered = asked
      .filter((one) => one.answered && one.stored === true)
      .map((one) => ({ one, may: askedFor(one, conversation, dialect) }));
    // What can mean one place only is counted first: of two that read alike, the other one is meant then.
    for (const { one, may } of answered.sort((a, b) => a.may.length - b.may.length)) {
      if (may.length === 0)
        broke(`a distil request shows no part of the conversation: ${one.text.slice(0, 300)}`);
      const meant =
        may.find((indexes) => !indexes.some((index) => times.has(index))) ?? may[0] ?? [];
      for (const index of meant) times.set(index, (times.get(index) ?? 0) + 1);
    }
    const twice = [...times].filter(([, count]) => count > 1).map(([index]) => index);
    if (twice.length > 0) broke(`distilled twice: messages ${twice.slice(0, 10).join(", ")}`);
    const { queued } = await tidemark.stats();
    const folded = this.folds.at(-1)?.messages ?? 0;
    // A fold may come while what another answer taught is being written: no event says then that it was, memory does.
    const standing = new Set(
      (await tidemark.memory.list({ limit: 10_000 })).map(({ content }) => content),
    );
    // What the gate refuses is remembered nowhere, and told all the same.
    const late = asked.filter(
      (one) =>
        one.answered &&
        one.stored !== true &&
        one.facts.length > 0 &&
        // A later one may have taken the place of one of them.
        one.facts.filter((fact) => !standing.has(cleaned(fact).trim()) && !isRefused(fact))
          .length <= 1,
    );
    const kept = new Set(late.flatMap((one) => askedFor(one, conversation, dialect)[0] ?? []));
    const missing = Array.from({ length: folded }, (_, index) => index).filter(
      (index) => !times.has(index) && !kept.has(index),
    );
    if (missing.length > 0 && queued === 0)
      broke(
        `folded, and neither distilled nor queued: messages ${missing.slice(0, 10).join(", ")}`,
      );
  }

  async finish(tidemark: Tidemark): Promise<void> {
    const { transcript, broke, events, report } = this.input;
    const own = transcript.messages.slice(
      this.preamble,
      Math.min(transcript.messages.length, this.sent + (report.rejected > 0 ? 0 : 1)),
    );
    const list = await tidemark.history.list();
    if (list.length !== 1) broke(`${list.length} conversations were seen instead of one`);
    const id = list.at(-1)?.id;
    if (this.sent > 0 && id !== undefined) {
      const { messages } = await tidemark.history.read({ conversation: id });
      const at = own.findIndex((message, index) => !isSame(message, messages[index]));
      if (at >= 0 || messages.length !== own.length)
        broke(
          `history.read: ${messages.length} messages for ${own.length}, the first difference at ${at}`,
        );
    }
    for (const fold of this.folds) {
      const { messages } = await tidemark.history.read({ fold: fold.id });
      if (!isSame(messages, own.slice(0, fold.messages)))
        broke(`history.read of fold ${fold.id} is not the prefix it replaced`);
    }
    const refusals = events.filter((event) => event.type === "fold-refused");
    if (
      refusals.some(
        (event) =>
          event.type === "fold-refused" &&
          /Error|undefined|not a function|SQLITE/i.test(event.reason),
      )
    )
      broke(`a fold was refused for ${JSON.stringify(refusals.at(-1))}`);
  }
}

const pct = (part: number, whole: number): string => `${Math.round((part / whole) * 100)} %`;
const generic = (refusal: string): string =>
  refusal.replace(/\d+/g, "#").replace(/tag '\w+'/, "tag");

/** The same as JSON: what is undefined goes with it. */
const wire = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(wire(one), wire(other));

/** A string and one text block are the same system text. */
const systemOf = ({ system }: ProviderRequest): string =>
  JSON.stringify(
    typeof system === "string" ? [{ type: "text", text: system }] : withoutMarks(system),
  );

const textOf = (message: Message | undefined): string => {
  const content = message?.content;
  if (typeof content === "string") return content;
  return Array.isArray(content)
    ? content
        .map((block: unknown) =>
          typeof block === "object" && block !== null && "text" in block ? String(block.text) : "",
        )
        .join("\n")
    : "";
};

/** One text block and a string are the same message to the provider; a cache mark makes one of the other. */
function plain(message: Message): Message {
  const content: unknown = message.content;
  return typeof content === "string"
    ? { ...message, content: [{ type: "text", text: content }] }
    : message;
}

/** Without `cache_control`, which is no part of what is said. */
export function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      key === "cache_control" ? [] : [[key, withoutMarks(member)]],
    ),
  );
}
