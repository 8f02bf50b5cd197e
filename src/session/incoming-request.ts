import { isDict } from "../core/base.ts";
import { refuse } from "../core/errors-and-events.ts";
import type { ProviderRequest } from "../core/request.ts";
import { capabilitiesOf } from "../providers/common/models.ts";
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
  request: ProviderRequest,
  options: AdapterOptions,
): Call {
  if (!isDict(request) || !Array.isArray(request.messages))
    refuse(`begin() needs an object with an array \`messages\`: ${FORMS_READ}`);
  const bad = request.messages.findIndex(
    (message: unknown) => !isDict(message) || (options.dialect === undefined && isForeign(message)),
  );
  if (bad >= 0)
    refuse(`messages[${bad}] of the request is no message, { role, content }: ${FORMS_READ}`);
  const dialect = options.dialect ?? dialectFor(request, options.format);
  const preamble = dialect.preamble(request.messages);
  const model = typeof request.model === "string" ? request.model : "";
  const { asked, conversation, complete, addsBetas } = options;
  const models = core.options.advanced?.models;
  const can = capabilitiesOf(model, models, asked?.said);
  const { signal } = options;
  return {
    ...{ dialect, request, preamble, model, can },
    binds: capabilitiesOf(model, models).boundThinking,
    who: conversation === undefined ? who : { ...who, label: conversation },
    conversation: request.messages.slice(preamble),
    patience: createPatience(core.timer, core.marks.patience, signal),
    ...core.windows.sizesFor(request, { model, can, pending: asked?.pending }),
    ...{ complete, addsBetas },
  };
}
