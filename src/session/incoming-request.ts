import type { PlaceInput } from "../conversations/read-messages.ts";
import { isDict } from "../core/base.ts";
import { refuse, shown } from "../core/errors-and-events.ts";
import type { ProviderRequest } from "../core/request.ts";
import type { Dialect } from "../providers/common/dialect.ts";
import { capabilitiesOf } from "../providers/common/models.ts";
import { dialectFor, FORMS_READ, isForeign } from "../providers/detect.ts";
import { prefixesOf, TO_NOTHING } from "./assemble-request.ts";
import { createPatience } from "./options/background.ts";
import type { AdapterOptions } from "./options/internals.ts";
import type { PlacedCall } from "./outgoing-request.ts";
import type { Call, Ports, Settings, Weighing, Who } from "./ports.ts";

/**
 * Reads a request without changing anything: dialect, conversation, limit. Throws TidemarkError
 * "config".
 */
export function openCall(
  core: Settings & Weighing,
  who: Who,
  given: ProviderRequest,
  options: AdapterOptions,
): Call {
  const dialect = options.dialect ?? dialectFor(isDict(given) ? given : NOTHING, options.format);
  const request = isDict(given) ? openedBy(dialect, given) : given;
  if (!isDict(request) || !Array.isArray(request.messages))
    refuse(`begin() needs an object whose ${NAMES} is a list: ${FORMS_READ}`);
  const opened = request !== given || options.dialect !== undefined;
  const bad = request.messages.findIndex(
    (message: unknown) => !isDict(message) || (!opened && isForeign(message)),
  );
  const message: unknown = request.messages[bad];
  if (bad >= 0)
    refuse(
      isDict(message)
        ? `messages[${bad}] is no message, { role, content }, that begin() knows: ${FORMS_READ}`
        : `messages[${bad}] must be a message such as { role: "user", content: "Hello" }, got ` +
            `${shown(message)}.`,
    );
  const preamble = dialect.preamble(request.messages);
  const model = typeof request.model === "string" ? request.model : "";
  const { asked, conversation, complete, addsBetas } = options;
  const models = core.options.advanced?.models;
  const can = capabilitiesOf(model, models, asked?.said);
  const { signal } = options;
  return {
    ...{ dialect, given, request, preamble, model, can },
    binds: capabilitiesOf(model, models).boundThinking,
    who: conversation === undefined ? who : { ...who, label: conversation },
    conversation: request.messages.slice(preamble),
    patience: createPatience(core.timer, core.marks.patience, signal),
    ...core.windows.sizesFor(request, { model, can, pending: asked?.pending }),
    ...{ complete, addsBetas },
  };
}

const NAMES = "`messages`, `input`, `contents` or `prompt`";
const NOTHING: ProviderRequest = { messages: [] };

/** A request with its messages as `messages`. */
const openedBy = ({ envelope }: Dialect, given: ProviderRequest): ProviderRequest =>
  Array.isArray(given.messages) ? given : (envelope?.open(given) ?? given);

/** What is made of a request in the form that the request came in. */
export const closed = (
  { dialect, given, request }: Call,
  made: ProviderRequest,
): ProviderRequest =>
  made === request
    ? given
    : ((dialect.envelope?.close(given, made, request) ?? made) as ProviderRequest);

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
