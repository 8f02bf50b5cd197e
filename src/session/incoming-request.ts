import { isDict } from "../core/base.ts";
import { refuse, shown } from "../core/errors-and-events.ts";
import type { ProviderRequest } from "../core/request.ts";
import { capabilitiesOf } from "../providers/common/models.ts";
import type { Dialect } from "../providers/common/dialect.ts";
import { dialectFor, FORMS_READ, isForeign } from "../providers/detect.ts";
import type { Call, Settings, Weighing, Who } from "./ports.ts";
import { createPatience } from "./options/background.ts";
import type { AdapterOptions } from "./options/internals.ts";

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
