import { defined } from "../../base/defined.ts";
import { troubleOf } from "../../model/errors.ts";
import { type Prepared } from "../background/work.ts";
import { see, type Sight } from "../session/outgoing.ts";
import { type Outlook, outlookOf, planAt, textOf } from "./plan.ts";

/** Without its files a prompt keeps the sections it has. */
export async function foresee(sight: Sight, summary = ""): Promise<Outlook> {
  const { call, placed } = sight;
  try {
    return await outlookOf(sight, summary);
  } catch (thrown) {
    call.core.emit({ type: "degraded", where: "prompt sections", ...troubleOf(thrown) });
    return {
      pins: await call.core.history.pins(call.who.root, placed.session.id),
      frozen: placed.session.state.frozen,
    };
  }
}

/** Reads and measures what the fold to come will have to, so that little of it is left to the turn that makes it; told of no trouble, since that turn meets it again. */
export async function lookAhead(sight: Sight, ready: Prepared): Promise<void> {
  const { call, placed } = sight;
  const outlook = await outlookOf(sight, ready.summary).catch(() => undefined);
  if (outlook === undefined) return;
  const mask = await call.core.mask();
  planAt(sight, outlook, { ready });
  see(call, placed, { state: { ...defined({ frozen: outlook.frozen }) } });
  const { text } = textOf(sight, { ...ready, summary: mask(ready.summary), outlook, mask });
  call.core.measure.message(call.dialect, call.dialect.userMessage(text));
}
