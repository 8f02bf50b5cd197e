import { troubleOf } from "../../model/errors.ts";
import { type Sight } from "../sight.ts";
import { type Outlook, outlookOf } from "./fold-plan.ts";

/** Without its files a prompt keeps the sections it has. */
export async function foresee(sight: Sight): Promise<Outlook> {
  const { call, placed } = sight;
  try {
    return await outlookOf(sight);
  } catch (thrown) {
    call.core.emit({ type: "degraded", where: "prompt sections", ...troubleOf(thrown) });
    return { pins: await call.core.history.pins(call.who.root, placed.session.id), frozen: placed.session.state.frozen };
  }
}
