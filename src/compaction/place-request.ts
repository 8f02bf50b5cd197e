import type { PlaceInput } from "../conversations/read-messages.ts";
import { prefixesOf, TO_NOTHING } from "../session/assemble-request.ts";
import type { Call, Ports } from "../session/ports.ts";
import type { PlacedCall } from "../session/outgoing-request.ts";

const ALIKE =
  "Two conversations fit a request alike and differ in what it does not show, so it " +
  "was begun as a third and neither is told of the other. Give begin a conversation " +
  "label to tell them apart.";

const IN_A_ROW =
  "Many new conversations in a row began alike, each with replies that were archived " +
  "nowhere: the host changes them so much between its calls that they are not " +
  "recognised, and each turn is distilled anew. Give begin a conversation label, or " +
  "send replies as they came.";

/** The request laid on its conversation, as that stands now; its new messages are archived. */
export async function place(core: Ports, call: Call): Promise<PlacedCall> {
  const placed = await core.sessions.place(placing(call));
  if (placed.either) core.notice.say("conversations-alike", ALIKE);
  // Where no turn is ended, that is the reason, and is told.
  if (placed.inRow && call.who.seen.ended) core.notice.say("conversations-in-a-row", IN_A_ROW);
  return { ...call, ...placed };
}

function placing({ who, dialect, request, preamble, conversation, binds }: Call): PlaceInput {
  const before = prefixesOf(request);
  return {
    dialect,
    messages: conversation,
    root: who.root,
    label: who.label,
    prefixBefore: (index) => (binds ? before(preamble + index) : TO_NOTHING),
  };
}
