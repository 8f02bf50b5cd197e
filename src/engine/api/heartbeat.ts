import { splitText } from "../../distil/task/chunks.ts";
import { agentScope } from "../../model/identity.ts";
import { type Memory, isTrusted } from "../../model/memory.ts";
import { dayOf, minuteOf } from "../../model/moment.ts";
import { clip, oneLine } from "../../text/cut.ts";
import { fence, HEARTBEAT } from "../../text/fence.ts";
import { linesOf, withoutComments, withoutFrontMatter } from "../../text/markdown.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { fitting } from "../../tools/lines.ts";
import type { Heartbeat } from "../options/knowledge-api.ts";
import { DAY } from "../journal/watermark.ts";
import { noteEvents } from "../journal/log-events.ts";
import type { Core, Who } from "../session/core.ts";

/** All of a wake-up prompt, and what of it the page may take, in tokens. */
const TOKENS = 4_000;
const PAGE = 2_000;
const DAYS = 2;
const LINES = 200;
const LONGEST = 400;
/** Tokens of a line of the page; what is longer goes on in the next line, so that a page of one line is told as far as it fits. */
const PIECE = 500;

const WAKES =
  "You wake up by yourself; nobody is talking to you. Do now what the page below asks for, or answer in one line that nothing is due.";

const KNOWN = "What is known, as data:";

/** Is there anything to wake up for, and with which words: the page HEARTBEAT.md, what is open, and what was remembered in the last two days. */
export async function heartbeat(
  core: Core,
  { identity, memories, learns }: Who,
): Promise<Heartbeat> {
  const written = await core.workspace.read("HEARTBEAT.md", agentScope(identity));
  const page = bodyOf(written);
  if (page === "")
    return {
      due: false,
      why: "HEARTBEAT.md is empty: write into it what the agent is to look at.",
    };
  const now = core.now();
  const [open, recent] = await Promise.all([
    memories.list({ category: "open-request", limit: LINES }),
    memories.list({ after: now - DAYS * DAY, limit: LINES }),
  ]);
  const rules = fitting(
    linesOf(page).flatMap((line) => [...splitText(line, PIECE)]),
    PAGE,
  );
  const head = [WAKES, "", ...rules].join("\n");
  const isOpen = new Set(open.map(({ id }) => id));
  const lines = [
    ...section("Open", open),
    ...section(
      "Remembered in the last two days",
      recent.filter(({ id }) => !isOpen.has(id)),
    ),
  ];
  const at = `${minuteOf(now)} UTC`;
  const whole = (inner: string): string => fence(HEARTBEAT, inner, { at });
  const known = fitting(lines, TOKENS - estimateTokens(whole(`${head}\n\n${KNOWN}\n`)));
  const prompt = whole(known.length === 0 ? head : `${head}\n\n${KNOWN}\n${known.join("\n")}`);
  noteEvents(core, learns, { at: now, what: "heartbeat", did: "began" });
  return { due: true, why: "HEARTBEAT.md says what to look at.", prompt };
}

/** What a person has written: no comments, no front matter, no headings with nothing below them. */
function bodyOf(text: string): string {
  const body = withoutComments(withoutFrontMatter(text)).trim();
  return linesOf(body).every((line) => line.trim() === "" || /^#{1,6}\s/.test(line)) ? "" : body;
}

const section = (heading: string, memories: readonly Memory[]): string[] =>
  memories.length === 0 ? [] : [`## ${heading}`, ...memories.map(lineOf)];

const lineOf = ({ content, origin, at }: Memory): string =>
  `- ${isTrusted(origin) ? "" : "(unverified) "}${clip(oneLine(content), LONGEST)} (${dayOf(at)})`;
