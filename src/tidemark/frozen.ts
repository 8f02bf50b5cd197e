import { type SessionState } from "../model/history.ts";
import { normalForm } from "../text/one-line.ts";
import { frozenText } from "../prompt/sections.ts";
import { ratioOf } from "../window/calibrate.ts";
import { type Call } from "./core.ts";

/** More facts than ever find room: the sections' caps decide, not this. */
const FACTS = 200;

/** The sections for a new epoch, from the files and facts of the identity as they are now. */
export async function renderFrozen(call: Call): Promise<NonNullable<SessionState["frozen"]>> {
  const { core, who, dialect, request, limit } = call;
  if (core.options.inject === false) return { text: "", sections: [] };
  const texts = await core.workspace.prompt(who.scopes);
  const facts = await who.memories.salient(who.scopes, { limit: FACTS });
  const { text, sections } = frozenText(
    {
      ...texts,
      facts,
      standing: ({ id, content }) => texts.standing.ids.has(id) || texts.standing.contents.has(normalForm(content)),
    },
    // Estimates on both sides: what the sections weigh is estimated too.
    { limitTokens: limit / ratioOf({}, call.model), callerTokens: core.measure.head(dialect, request) },
  );
  return { text, sections: sections.map(({ section, tokens }) => ({ section, tokens })) };
}
