import { foldIn, type Sight } from "../sight.ts";
import { settled } from "./settled.ts";

/** Has the session been folded, or a fold of it undone, since it was looked at? A turn that is under way for long looks back on what is gone. */
export async function isOnNewest({ call, placed }: Sight): Promise<boolean> {
  const found = await call.core.sessions.load(placed.session.id);
  return found !== undefined && found.folds.at(-1)?.id === foldIn(placed)?.id;
}

/** As far as the session is distilled by now, whoever did it. */
export async function upToDate(sight: Sight): Promise<Sight> {
  const { call, placed } = sight;
  const found = await settled(call.core, call.who, placed.session.id);
  if (found === undefined || found.session.watermark === placed.session.watermark) return sight;
  return {
    ...sight,
    placed: { ...placed, session: { ...placed.session, watermark: found.session.watermark } },
  };
}
