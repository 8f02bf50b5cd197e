import { dialectFor } from "../../dialect/detect.ts";
import { type Refusal, materialOf, refusalOf } from "../../distil/check/gate.ts";
import { readTranscript } from "../../distil/extract/transcript.ts";
import { asText, dicts } from "../../base/guards.ts";
import { clip, normalForm } from "../../text/cut.ts";
import { sentences } from "../../text/sentences.ts";
import type { Conversation } from "../transcripts/read.ts";
import { count } from "../render/numbers.ts";
import { hung, plain, type Page, titled } from "../render/layout.ts";

/** Why a sentence did not become a memory; "nothing lasting" passed the gate, and says nothing a later session would do otherwise. */
type Why = Refusal | "nothing lasting";

const SAYS: Readonly<Record<Why, string>> = {
  empty: "says nothing by itself",
  question: "a question",
  applause: "thanks or applause",
  step: "a step on the way",
  fragment: "an item without its list",
  output: "printed by a program",
  call: "a call of a tool",
  files: "a list of files: the day's log has it",
  harness: "written by the program around the chat",
  restated: "stands in the system text or in a document",
  secret: "says no more than that there is a secret",
  "nothing lasting": "nothing that a later session would do otherwise",
};
const EXAMPLES = 2;
const LONGEST = 120;

interface Unremembered {
  readonly why: Why;
  readonly count: number;
  readonly examples: readonly string[];
}

/** What users said and the last reply to each said, sentence by sentence, that no memory holds, with the gate's reason. */
export function unremembered(
  { messages, format, around }: Conversation,
  remembered: readonly { readonly content: string }[],
): Unremembered[] {
  const dialect = dialectFor({ messages }, format);
  const system =
    typeof around.system === "string"
      ? around.system
      : dicts(around.system)
          .map(({ text }) => asText(text))
          .join("\n");
  const material = materialOf(dialect, messages, system);
  const kept = normalForm(remembered.map(({ content }) => content).join("\n"));
  const refused = readTranscript(messages, dialect)
    .filter(({ speaker }) => speaker === "user" || speaker === "assistant")
    .flatMap(({ own }) => sentences(own))
    .filter(({ text }) => !kept.includes(normalForm(text)))
    .map(({ text }) => ({ text, why: refusalOf(text, material) ?? ("nothing lasting" as const) }));
  return [...Map.groupBy(refused, ({ why }) => why)]
    .map(([why, all]) => ({
      why,
      count: all.length,
      examples: all.slice(0, EXAMPLES).map(({ text }) => clip(text, LONGEST)),
    }))
    .sort((one, other) => other.count - one.count);
}

export function explainLines(refused: readonly Unremembered[], page: Page): string[] {
  const { columns, paint } = page;
  const all = refused.reduce((sum, one) => sum + one.count, 0);
  return [
    "",
    ...titled(
      "What was not remembered",
      `(${count(all, "sentence")}; history has them word for word)`,
      page,
    ),
    ...refused.flatMap(({ why, count: times, examples }) => [
      `  ${String(times).padStart(5)}  ${SAYS[why]}`,
      ...examples.flatMap((text) => hung("         ", plain(text), columns - 2, 2).map(paint.dim)),
    ]),
  ];
}
