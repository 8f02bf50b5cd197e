// The shared personas of RealMem: a user and an assistant over months. A "question" is a message of the user's that needs what was
// said before; only sessions before it may be searched.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Conversation, Turn } from "./locomo.ts";

/** Another file of the same form may be measured: REALMEM=/path/to/file.json. */
const REALMEM =
  process.env.REALMEM ??
  join(import.meta.dirname, "../../../shared/data/realmem/realmem-dev4.json");

interface Raw {
  id: string;
  sessions: {
    id: string;
    at: string;
    messages: { id: string; name: string; role: Turn["role"]; text: string; at: string }[];
  }[];
  questions: {
    id: string;
    text: string;
    evidence: string[];
    after: number;
    facts: [message: string, fact: string][];
  }[];
}

export function readRealMem(): Conversation[] {
  if (!existsSync(REALMEM)) throw new Error(`RealMem's personas are not at ${REALMEM}.`);
  const { conversations } = JSON.parse(readFileSync(REALMEM, "utf8")) as { conversations: Raw[] };
  return conversations.map(({ id, sessions, questions }) => ({
    id,
    turns: sessions.flatMap(({ messages, at: begun }, session) =>
      messages.map(({ id: ref, name, role, text, at }) => ({
        ref,
        session,
        date: begun,
        at: Date.parse(at),
        role,
        name,
        text,
      })),
    ),
    questions: questions.map(({ text, evidence, after, facts }) => ({
      text,
      category: 1,
      evidence,
      after,
      facts: facts.map(([, fact]) => fact),
    })),
  }));
}

/** Messages of the user's in sessions that no later one needs: talk with any assistant about anything. */
export const smallTalk = ({ turns, questions }: Conversation): Turn[] => {
  const needed = new Set(questions.flatMap(({ evidence }) => evidence));
  const about = new Set(turns.filter(({ ref }) => needed.has(ref)).map(({ session }) => session));
  const asked = new Set(questions.map(({ text }) => text));
  return turns.filter(
    ({ role, session, text }) => role === "user" && !about.has(session) && !asked.has(text),
  );
};
