import type { Complete } from "../../model/ports.ts";
import type { Message } from "../../model/request.ts";
import { openTidemark } from "../../engine/open.ts";
import { answers, type Canary, type Survived, allText, countTokens, user } from "./canary.ts";
import type { Filler } from "./filler.ts";
import { faultIn } from "./provider-rules.ts";
import type { Fold } from "./compactor.ts";

export interface Trial {
  readonly canaries: readonly Canary[];
  readonly filler: Filler;
  readonly folds: number;
  readonly window: number;
  readonly progress?: (folds: number) => void;
}

/** A conversation that is had: what is said to it, and the request it comes to. */
interface Talk {
  tell(exchange: readonly Message[]): Promise<void>;
  /** Share of the limit that its request takes. */
  level(): number;
  /** It may fold once more. */
  goesOn(): boolean;
  /** Its next request. */
  request(): unknown;
}

const REPLY = 400;
/** What weighs the same stands the newest first, so turns are not of one moment. */
const START = Date.UTC(2026, 0, 1);
const TURN_MS = 100;
/** What was brought for one question stands in the request alone for that. */
const RECALLED = /<tidemark-recall>[\s\S]*?<\/tidemark-recall>/g;
/** A conversation that does not fold however much is said must end all the same: behind so many windows without a fold. */
const WINDOWS_MOST = 3;
/** The canaries stand in the first part of the window, filler between them. */
const PLANTED = 0.35;

/** The folds that were made, and what a provider would refuse each request for that was sent. */
function openBooks({ window, progress }: Trial) {
  const sizes: { before: number; after: number }[] = [];
  const faults: (string | undefined)[] = [];
  const average = (of: "before" | "after"): number =>
    sizes.reduce((sum, size) => sum + size[of], 0) / Math.max(1, sizes.length);
  const isStuck = (): boolean => faults.at(-1) !== undefined;
  return {
    folds: () => sizes.length,
    folded(before: number, after: number): void {
      sizes.push({ before, after });
      progress?.(sizes.length);
    },
    /** A request that is sent; `where`: at a fold, or behind it. */
    sent(messages: readonly Message[], where: "at" | "behind"): void {
      const fault = faultIn(messages, window);
      faults.push(fault && `${where} fold ${sizes.length}: ${fault}`);
    },
    isStuck,
    close: () => ({
      folds: sizes.length,
      before: average("before"),
      after: average("after"),
      invalid: faults.filter((fault) => fault !== undefined).length,
      refused: faults.find((fault) => fault !== undefined),
      stuck: isStuck(),
    }),
  };
}

/** Plants the canaries, folds the conversation so many times, and looks for them in its next request. */
async function survivors(
  { canaries, filler, folds }: Trial,
  books: ReturnType<typeof openBooks>,
  talk: Talk,
): Promise<Survived> {
  for (const { messages } of canaries) {
    await talk.tell(messages);
    if (talk.level() < PLANTED) await talk.tell(filler());
  }
  const early = books.folds() > 0;
  while (books.folds() < folds && talk.goesOn()) await talk.tell(filler());
  const text = allText(talk.request()).replace(RECALLED, "");
  const sum = books.close();
  return {
    ...sum,
    early,
    inPrompt: canaries.map((canary) => !sum.stuck && answers(text, canary)),
  };
}

/** Plants the canaries in a conversation kept by Tidemark, and looks for them after so many folds. */
export async function throughTidemark(
  trial: Trial,
  distil: "extractive" | Complete,
): Promise<Survived> {
  const { canaries, window } = trial;
  const books = openBooks(trial);
  /** Tokens said since the last fold. */
  let since = 0;
  let time = START;
  const tidemark = await openTidemark({
    workspace: false,
    distil,
    // The same each time, however busy the machine is.
    now: () => time,
    window: { tokens: window, patience: 60_000 },
    recall: {},
    listen: (event) => {
      if (event.type !== "folded") return;
      since = 0;
      books.folded(event.before, event.after);
    },
  });
  const messages: Message[] = [];
  const begin = (said: readonly Message[]) =>
    tidemark.begin({ model: "m", max_tokens: REPLY, messages: [...said] });
  let sent: unknown;
  let level = 0;
  const talk: Talk = {
    async tell(exchange) {
      for (const [index, message] of exchange.entries()) {
        messages.push(message);
        since += countTokens([message]);
        if (message.role !== "user") continue;
        time += TURN_MS;
        const turn = await begin(messages);
        sent = turn.request;
        level = turn.window.level;
        books.sent(turn.request.messages, "behind");
        const reply = exchange[index + 1];
        const usage = { input_tokens: turn.window.used, output_tokens: 1 };
        if (reply?.role === "assistant") await turn.end({ reply, usage });
        await tidemark.idle();
      }
    },
    level: () => level,
    goesOn: () => since < WINDOWS_MOST * window,
    // The fold shows in the request that was answered by it.
    request: () => sent,
  };
  try {
    const survived = await survivors(trial, books, talk);
    const inSearch: boolean[] = [];
    for (const canary of canaries) {
      const hits = await tidemark.memory.search(canary.question);
      inSearch.push(hits.some(({ text }) => answers(text, canary)));
    }
    const inAsked: boolean[] = [];
    for (const canary of canaries) {
      const { request } = await begin([...messages, user(canary.question)]);
      inAsked.push(!survived.stuck && answers(allText(request), canary));
    }
    return { ...survived, inSearch, inAsked };
  } finally {
    await tidemark.close();
  }
}

/** Share of the limit at which the messages are given to the compactor: where Tidemark folds. */
const COMPACT_AT = 0.7;
const NEXT = user("Go on.");

/** Plants the canaries in a conversation whose owner replaces its messages by what the compactor makes of them. */
export async function throughCompactor(trial: Trial, fold: Fold): Promise<Survived> {
  const { window, folds } = trial;
  const books = openBooks(trial);
  const limit = window - REPLY;
  let messages: Message[] = [];
  // A request that is larger than the window ends the conversation, however often it would be made smaller again.
  const goesOn = (): boolean => countTokens(messages) <= window;
  return survivors(trial, books, {
    async tell(exchange) {
      for (const message of exchange) {
        if (!goesOn()) return;
        messages.push(message);
        const before = countTokens(messages);
        if (message.role !== "user" || before <= COMPACT_AT * limit || books.folds() >= folds)
          continue;
        messages = await fold(messages, { fold: books.folds() + 1, limit });
        books.folded(before, countTokens(messages));
        books.sent(messages, "at");
      }
    },
    level: () => countTokens(messages) / limit,
    goesOn,
    request() {
      const last = messages.at(-1)?.role === "user" ? messages : [...messages, NEXT];
      if (!books.isStuck()) books.sent(last, "behind");
      return last;
    },
  });
}
