import { readTurn } from "../../agents/history-api.ts";
import { either } from "../../core/base.ts";
import { contentWords } from "../../core/text/sentences.ts";
import type { Past } from "../../memory/turns/recall-turns.ts";
import type { Kept } from "../../session/ports.ts";
import type { Outgoing } from "../../session/outgoing-request.ts";
import type { TurnRow } from "../../storage/rows.ts";

/** "Where were we?" names nothing but that it was last. */
const ASKS_LAST = either(
  /\bwhere (?:were|was|are|did) (?:we|i)(?: (?:stop|leave|left|get|end|up|at|off|now|last))*\W*$/i,
  /\bwhat (?:were|was|did|have) (?:we|i)(?: \w+)? (?:do|work|talk|up)\w*(?: (?!if)\w+){0,3}\W*$/i,
  /\b(?:where|what) (?:we|i) (?:left off|stopped|were (?:at|doing|working on|talking about))\b/i,
);
/** A longer message says itself what it is about. */
const CHARACTERS = 120;
/** Messages at the end of a conversation among which that is looked for, and conversations. */
const [END, TALKS] = [16, 4];
/** Words of content: "Thanks, bye!" has fewer. */
const TELLS = 3;

/**
 * The work that was done last, where a conversation's first message asks for it: of the latest
 * other conversation the last two things that the user said, and the last answer.
 */
export async function lastTalk(
  { store }: Pick<Kept, "store">,
  { dialect, conversation, session: here, who: { root } }: Outgoing,
  words: string,
): Promise<Past | undefined> {
  const goesOn = conversation.some((message) => dialect.speaker(message) === "assistant");
  if (goesOn || words.length > CHARACTERS || !ASKS_LAST.test(words)) return undefined;
  for (const { id: session } of await store.sessions({ root, limit: TALKS })) {
    if (session === here.id) continue;
    const { length } = await store.entries(session);
    const from = Math.max(0, length - END);
    const rows = (await store.bodies(session, from, length)).flatMap(
      ({ body, role, at }, offset): TurnRow[] => {
        const { speaker = role, text } = readTurn(body);
        const position = from + offset;
        const row = {
          id: `${session}#${position}`,
          session,
          root,
          position,
          role: speaker,
          text,
          at,
        };
        return contentWords(text).length < TELLS ? [] : [row];
      },
    );
    const asked = rows.filter(({ role }) => role === "user").slice(-2);
    const said = rows.filter(({ role }) => role === "assistant").slice(-1);
    const shown = [...asked, ...said].sort((one, other) => one.position - other.position);
    if (shown.length > 0)
      return { terms: new Set(), form: "question", talks: [{ weight: 1, rows: shown }] };
  }
  return undefined;
}
