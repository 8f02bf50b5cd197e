import type { Conversation } from "../../conversations/sessions.ts";
import { breathe } from "../../core/base.ts";
import { holdsStatement } from "../../memory/extracting/statement.ts";
import type { Kept, Settings } from "../../session/ports.ts";
import { readArchived } from "./short-session-read.ts";

/** From so many replies of a model with tools on there may be an outcome. */
const LEAST_WORK = 3;
/** Messages looked at in one go. */
const LOOK = 40;

/**
 * Is anything said that no model has read yet? Small talk and questions are worth no call; work is,
 * whatever the user says.
 */
export async function isTelling(
  core: Kept & Settings,
  { session, entries }: Conversation,
): Promise<boolean> {
  const { watermark } = session;
  const replies = entries.slice(watermark).filter(({ role }) => role === "assistant").length;
  let works = false;
  for (let from = watermark; replies > 0 && from < entries.length; from += LOOK) {
    const range = { from, to: Math.min(entries.length, from + LOOK) };
    const { messages, dialect } = await readArchived(core, session, range);
    works ||= messages.some((message) => dialect.calls(message).length > 0);
    if ((works && replies >= LEAST_WORK) || holdsStatement(messages, dialect)) return true;
    await breathe();
  }
  return false;
}
