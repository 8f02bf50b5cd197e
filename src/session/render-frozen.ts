import { asDict } from "../core/base.ts";
import { reasonOf } from "../core/errors-and-events.ts";
import type { SessionState } from "../core/history.ts";
import type { Memory } from "../core/memory.ts";
import { mask } from "../core/secrets/mask.ts";
import { normalForm } from "../core/text/cut.ts";
import { clipLines } from "../core/text/markdown.ts";
import { saying, sentences } from "../core/text/sentences.ts";
import { estimateTokens } from "../core/tokens/estimate.ts";
import { TOOL_NAMES } from "../core/tool-names.ts";
import { offersTool } from "../providers/common/dialect.ts";
import { shownText } from "../workspace/pages/page-lines.ts";
import { frozenText, REST_LEFT_OUT, SECTIONS, withRoom } from "./frozen-sections.ts";
import type { InjectStrategy } from "./options/inject-types.ts";
import { ratioOf } from "./options/save-and-fold-marks.ts";
import {
  type Call,
  type Ground,
  isOthersTask,
  type Kept,
  type Settings,
  type Weighing,
  type Who,
} from "./ports.ts";

/** Characters to a token. */
const CHARACTERS = 3.5;
/** More facts than ever find room: their tokens decide, not their number. */
const FACTS = 200;
/** Tokens of a fact's line beside its words, and of the frames of sections. */
const LINE = 8;
const FRAME = 150;

/** A line of the summary says a fact that shares so many of its words. */
const SAID = 0.75;
/** A memory says a correction in words of its own. */
const TOLD = 0.5;

/** Told an agent that has the tools; at most 120 tokens. */
export const SEARCHING =
  "You have a long-term memory, reached by tools. Search it before you say that you do not know.";
export const TOOLS =
  `${SEARCHING} Save one sentence at a time: what solved a problem, a pattern, a mistake ` +
  "and how to avoid it, configuration, what you were told to do, why something was not " +
  "done. Do not save how things stand at the moment, conclusions nobody has checked, or " +
  "what code and documents say already.";
const NOTES =
  "Your notes below stand in every conversation; core_memory_append and " +
  "core_memory_replace change them.";

/** It knows whether a model reads what was said. */
export interface Reader {
  readonly models: { asksAtRest(who: Pick<Who, "root">): boolean };
}

/** Tokens of all that was learnt, of pages and of memory together. */
const LEARNT = 900;

/**
 * The sections for a new epoch, from the files and facts of the identity as they are now; not what
 * its summary says already.
 */
export async function renderFrozen(
  {
    inject,
    strategy,
    workspace,
    untold,
    measure,
    models,
    notice,
    options,
  }: Pick<Ground, "notice"> & Kept & Settings & Weighing & Reader,
  call: Call,
  summary = "",
): Promise<NonNullable<SessionState["frozen"]>> {
  const { who, dialect, request, limit } = call;
  if (inject === false) return { text: "", sections: [] };
  // The host's own words stand in the place of facts, or the agent asks for them.
  const asked = inject !== "context" || strategy !== undefined;
  const ownNotes = inject === "self-edit";
  // What others wrote to its pages is memory first; then memories are looked for while the files
  // are read: a turn waits for both when it folds.
  await who.fresh();
  const reading = workspace.prompt(who.scopes);
  const hosts = strategy && hostSection(strategy, call, notice);
  const said = saying(
    summary.split("\n").filter((line) => line.trim() !== ""),
    SAID,
  );
  const without = reading.then(
    ({ standing }) =>
      (memory: Memory): boolean =>
        isOthersTask(who, memory) ||
        [memory.content, shownText(memory.content)].some((text) =>
          standing.has(normalForm(text)),
        ) ||
        said(memory.content),
  );
  const room = {
    limit: FACTS,
    tokens: reading.then(({ learnings }) =>
      asked ? 0 : Math.min(LEARNT - learnings.length / CHARACTERS, limit * SECTIONS.share) - FRAME,
    ),
    around: LINE,
    without,
    leftOut: (wishes: number) => {
      if (!asked) tellWishes(notice, wishes);
    },
  };
  const [texts, all] = await Promise.all([reading, who.memories.salient(room)]);
  // Estimates on both sides: what the sections weigh is estimated too.
  const within = {
    limitTokens: limit / ratioOf({}, call.model),
    callerTokens: measure.head(dialect, request),
  };
  const fitting = withRoom(all, within);
  tellRules(notice, all.length - fitting.length, limit);
  const facts = await untold(call, fitting);
  // Where the agent has the tools: it is known by the request, or by the host's saying that it asks
  // for its memory.
  const { names = TOOL_NAMES, guidance = TOOLS } = who.seen.tools ?? {};
  const has =
    guidance !== false && (inject !== "context" || names.some((name) => offersTool(request, name)));
  const host = await hosts;
  const made = frozenText(
    {
      ...texts,
      ownNotes,
      zone: options.zone,
      tools: [has ? guidance : "", ownNotes ? NOTES : ""].join(" ").trim(),
      learnings: unsaid(texts.learnings, facts, models.asksAtRest(who)),
      facts,
      host,
    },
    within,
  );
  return strategy !== undefined && host === undefined ? { ...made, isMissing: true } : made;
}

const tellWishes = (notice: Ground["notice"], wishes: number): void =>
  notice.say(
    "wishes-left-out",
    `${wishes} standing wishes of a user find no room in the system text: the least used ` +
      "are not told. Forget or merge some.",
  );

function tellRules(notice: Ground["notice"], count: number, limit: number): void {
  if (count > 0)
    notice.say(
      "rules-left-out",
      `${count} rules of the house find no room in a limit of ${limit} tokens and are not told. ` +
        "Shorten them, or use a model with a larger window.",
    );
}

/** It bears the day that it was noted on: a person's own bullets have none. */
const NOTED = /^- \d{4}-\d\d-\d\d: /;

/**
 * A correction that memory holds is told there, and not from the page again; where a model reads
 * what was said, it says which of them are worth a memory.
 */
function unsaid(learnings: string, facts: readonly Memory[], isRead: boolean): string {
  const isTold = saying(
    facts.map(({ content }) => content),
    TOLD,
  );
  // Nothing that a correction says besides was worth a memory.
  const isKnown = (line: string): boolean =>
    sentences(line.replace(NOTED, "- ")).some(({ text }) => isTold(text));
  return learnings
    .split("\n")
    .filter((line) => !(isRead && NOTED.test(line)) && !isKnown(line))
    .join("\n")
    .replace(/^[^-\n].*:$(?!\n- )/gm, "")
    .trim();
}

/** Tokens that a strategy's text may have, as facts may: these, or a share of the limit. */
const TOKENS = 900;
/** ms that it has even where the host has no patience. */
const WAIT = 50;

/** What the host's strategy says for an epoch; undefined where it threw or was late. */
async function hostSection(
  { name, prepare }: InjectStrategy,
  { who, limit, patience }: Pick<Call, "who" | "limit" | "patience">,
  notice: Ground["notice"],
): Promise<{ name: string; text: string } | undefined> {
  const tokens = Math.floor(Math.min(TOKENS, limit * SECTIONS.share));
  const { identity, seen } = who;
  const asking = async (): Promise<unknown> =>
    (await prepare({ identity, query: seen.said, tokens })) ?? "";
  const asked = asking().catch((thrown: unknown) => ({ why: reasonOf(thrown) }));
  const { result } = await patience.wait(asked, Math.max(WAIT, patience.left()));
  const about = `The strategy "${name}" of inject gave`;
  if (typeof result !== "string") {
    const { why = result === undefined ? "it was late" : typeof result } = asDict(result);
    notice.say("inject-missing", `${about} no text (${String(why)}): turns go without it.`);
    return undefined;
  }
  let text = mask(result);
  const taken = estimateTokens(text);
  if (taken > tokens)
    notice.say("inject-cut", `${about} ${taken} tokens, of which ${tokens} are told.`);
  for (let most = text.length; estimateTokens(text) > tokens; most *= 0.9)
    text = clipLines(text, Math.floor((most * tokens) / taken), REST_LEFT_OUT);
  return { name, text };
}
