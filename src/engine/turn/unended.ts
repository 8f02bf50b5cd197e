import { type Sight } from "../session/outgoing.ts";

/** So many turns of a conversation that goes on, and none was ended: no call that failed, but a loop that never says how its turns end. */
const TELLING = 5;

const UNENDED =
  "No turn was ended so far. Call turn.end(reply) with each reply: without it Tidemark cannot know that a request goes on with an earlier one, keeps each as a conversation of its own, and distils every one of them. Where you cannot, give begin a conversation label.";

/** Tells a host once whose conversations go on though none of their turns was ended. */
export function noteUnended({ call: { core, who, dialect, conversation }, placed }: Sight): void {
  if (core.counted(who.root).turns > 0 || placed.session.label !== undefined) return;
  const known = core.process.unended;
  const { replies, grew } = known.get(who.root) ?? { replies: 0, grew: 0 };
  const now = conversation.filter((message) => dialect.speaker(message) === "assistant").length;
  const told = { replies: now, grew: grew + (now > replies ? 1 : 0) };
  known.set(who.root, told);
  if (told.grew === TELLING) core.notice.say("turns-not-ended", UNENDED);
}
