// The shared LoCoMo conversations, read and cleaned as ../shared/data/README.md says.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Tidemark } from "../../src/index.ts";

/** Another file of the same form may be measured: LOCOMO=/path/to/file.json. */
export const LOCOMO =
  process.env.LOCOMO ?? join(import.meta.dirname, "../../../shared/data/locomo/locomo-dev5.json");

export interface Turn {
  readonly ref: string;
  readonly session: number;
  readonly date: string;
  readonly at: number;
  readonly role: "user" | "assistant";
  readonly name: string;
  /** What was said, with the caption of a shared picture. */
  readonly text: string;
}
export interface Question {
  readonly text: string;
  /** 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial. */
  readonly category: number;
  readonly evidence: readonly string[];
  /** Only sessions before this one may be searched; absent: all. */
  readonly after?: number;
  /** What an annotator wrote down of the evidence. */
  readonly facts?: readonly string[];
}
export interface Conversation {
  readonly id: string;
  readonly turns: readonly Turn[];
  readonly questions: readonly Question[];
}

interface RawTurn {
  speaker: string;
  dia_id: string;
  text: string;
  blip_caption?: string;
}
interface Raw {
  sample_id: string;
  conversation: Record<string, unknown>;
  qa: { question: string; category: number; evidence?: string[] }[];
}

/** "1:56 pm on 8 May, 2023", taken as UTC. */
function momentOf(date: string): number {
  const [, hour, minute, half, day, month, year] =
    /^(\d+):(\d+) (am|pm) on (\d+) (\w+),? (\d+)$/.exec(date.trim()) ?? [];
  const midnight = Date.parse(`${day} ${month} ${year} 00:00 UTC`);
  return (
    midnight +
    ((Number(hour) % 12) + (half === "pm" ? 12 : 0)) * 3_600_000 +
    Number(minute) * 60_000
  );
}

export function readLocomo(): Conversation[] {
  if (!existsSync(LOCOMO)) throw new Error(`The LoCoMo conversations are not at ${LOCOMO}.`);
  return (JSON.parse(readFileSync(LOCOMO, "utf8")) as Raw[]).map(
    ({ sample_id, conversation, qa }) => {
      const sessions = Object.keys(conversation)
        .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
        .map(Number)
        .sort((a, b) => a - b);
      const turns = sessions.flatMap((session) => {
        const date = String(conversation[`session_${session}_date_time`]);
        return (conversation[`session_${session}`] as RawTurn[]).map(
          ({ speaker, dia_id, text, blip_caption }): Turn => ({
            ref: dia_id,
            session,
            date,
            at: momentOf(date),
            role: speaker === conversation.speaker_a ? "user" : "assistant",
            name: speaker,
            text: blip_caption === undefined ? text : `${text} [shares ${blip_caption}]`,
          }),
        );
      });
      const known = new Set(turns.map(({ ref }) => ref));
      const questions = qa
        .map(({ question, category, evidence = [] }): Question => {
          const ids = evidence.flatMap((line) =>
            [...line.matchAll(/D:?(\d+):(\d+)/g)].map(
              ([, session, turn]) => `D${Number(session)}:${Number(turn)}`,
            ),
          );
          return {
            text: question,
            category,
            evidence: [...new Set(ids)].filter((id) => known.has(id)),
          };
        })
        .filter(({ evidence }) => evidence.length > 0);
      return { id: sample_id, turns, questions };
    },
  );
}

/** Each session as one imported conversation. */
export async function importConversation(
  tidemark: Tidemark,
  { id, turns }: Conversation,
): Promise<void> {
  for (const session of new Set(turns.map((turn) => turn.session))) {
    const messages = turns
      .filter((turn) => turn.session === session)
      .map(({ role, name, text, at, ref }) => ({ role, name, text, at, ref }));
    await tidemark.history.import({ id: `${id}/session_${session}`, messages, learn: false });
  }
}
