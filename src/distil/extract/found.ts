import { corrects } from "../../text/corrected.ts";
import { oneLine } from "../../text/one-line.ts";
import { type DistilTask, type Fact } from "../task/distiller.ts";
import { type Candidate, distinct, fitting } from "./candidate.ts";
import { recordOf } from "./record.ts";
import { sayings } from "./sayings.ts";
import { type Transcript } from "./transcript.ts";
import { answered, traps } from "./traps.ts";

/** Of a hundred messages so many lines at most: people say more of themselves where no tools are. */
const SHARE = { chat: 0.18, work: 0.07 } as const;
const LEAST = 6;
/** The record of a work with several requests is the longest line. */
const LONGEST = 600;
const TRAPS_SHARE = 0.02;

/** What the next session would do otherwise because of these messages, without a model. */
export function factsFound(
  transcript: Transcript,
  { messages, factsFrom, record: standing }: Pick<DistilTask, "messages" | "factsFrom" | "record">,
): Fact[] {
  const length = messages.length - factsFrom;
  if (length <= 0) return [];
  const isFresh = ({ from }: Candidate): boolean => from.some((index) => index >= factsFrom);
  const share = transcript.turns.some(({ steps }) => steps.length > 0) ? SHARE.work : SHARE.chat;
  const record = recordOf(transcript, standing);
  const causes = distinct(
    traps(transcript).filter(isFresh),
    Math.max(1, Math.ceil(length * TRAPS_SHARE)),
  );
  const all = [...sayings(transcript), ...answered(transcript)].filter(isFresh);
  // What its speaker said later was wrong is left out.
  const holds = all.filter(
    ({ content }, at) =>
      !all
        .slice(at + 1)
        .some((other) => other.corrects === true && corrects(other.content, content)),
  );
  const said = distinct(holds, Math.max(LEAST, Math.ceil(length * share)) - record.length);
  return [...said, ...causes, ...named(record, standing?.key)].map((fact) => ({
    ...fact,
    content: fitting(oneLine(fact.content), LONGEST),
    from: [...new Set(fact.from)].filter((index) => index >= 0).sort((a, b) => a - b),
  }));
}

/** The record's parts under their lasting names. Where nothing is open any more, what was open ends. */
function named(record: readonly Candidate[], name: string | undefined): Candidate[] {
  if (name === undefined) return [...record];
  const keyed = record.map((part) => ({ ...part, key: `${name}/${part.category}` }));
  if (record.some(({ category }) => category === "open-request")) return keyed;
  return [
    ...keyed,
    {
      content: "",
      category: "open-request",
      importance: 0,
      supersedes: `${name}/open-request`,
      origin: "agent",
      from: [],
    },
  ];
}
