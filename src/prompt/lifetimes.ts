import { type ProviderRequest } from "../model/request.ts";
import { isMark, lastsHour, survey, type Survey } from "./survey.ts";

const FIVE_MINUTES = 300_000;
const HOUR = 3_600_000;

/** ms the provider keeps the conversation of this request after its last use, by the mark furthest on; undefined without any. */
export function lifetimeOf(request: ProviderRequest): number | undefined {
  const automatic = request["cache_control"];
  const last = isMark(automatic) ? { hour: lastsHour(automatic) } : survey(request).marks.at(-1);
  return last && (last.hour ? HOUR : FIVE_MINUTES);
}

/**
 * How many messages stand before the end of the last mark that lives for an hour; undefined where none does. It is one of the
 * caller's: ours live for an hour only before it.
 */
export function hourReach(
  request: ProviderRequest,
  { marks }: Pick<Survey, "marks"> = survey(request),
): number | undefined {
  if (lastsHour(request["cache_control"])) return request.messages.length;
  const last = marks.findLast(({ hour }) => hour);
  return last && last.message + 1;
}
