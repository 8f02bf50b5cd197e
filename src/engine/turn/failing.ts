import type { Call as Made } from "../../dialect/common/dialect.ts";
import { offersTool } from "../../dialect/common/reading.ts";
import { failed } from "../../distil/extract/failures.ts";
import { fence } from "../../text/fence.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { cureOf, errorClass } from "../../workspace/pages/error-class.ts";
import { toolName } from "../../workspace/pages/learnings.ts";
import type { Call } from "../session/core.ts";
import { besideFor, type Outgoing } from "../session/outgoing.ts";
import { besideAt } from "./in-view.ts";
import { alike, askedOf } from "./lessons.ts";

/** So many failures of one call are no chance. */
const OFTEN = 3;
/** Messages looked back over. */
const LOOKED = 64;

/** A call that has failed since it last went well. */
interface Streak {
  readonly name: string;
  readonly asked: string;
  readonly from: number;
  readonly count: number;
  readonly class: string;
}

/** One line of ours, for the message it goes with. */
export interface Warning {
  readonly index: number;
  readonly text: string;
  readonly tokens: number;
}

/**
 * What to say of a call that fails again and again, in our words alone: a tool could order in its own. It goes with the user's next
 * words. In a tool loop it goes behind the results, where the model takes a message of the system's there: a text would end the loop.
 */
export function warningFor(outgoing: Outgoing): Warning | undefined {
  const { core, dialect, conversation, positions, limit, view, level, ratio } = outgoing;
  const index = conversation.findLastIndex((message) => dialect.speaker(message) !== "system");
  const last = conversation[index];
  if (last === undefined || index < outgoing.added || (positions[index] ?? -1) < 0)
    return undefined;
  const speaker = dialect.speaker(last);
  if (speaker === "assistant" || (speaker === "tool" && besideFor(outgoing) !== "system"))
    return undefined;
  if (!justFailed(outgoing, index)) return undefined;
  const isSaid = (streak: Streak): boolean =>
    view.recalls.some(
      (at) =>
        at >= streak.from &&
        besideAt(outgoing, at)?.text.includes(opening(outgoing, streak)) === true,
    );
  const due = streaksOf(outgoing, index).find((streak) => streak.count >= OFTEN && !isSaid(streak));
  if (due === undefined) return undefined;
  const words = `${opening(outgoing, due)} ${due.count} times: ${due.class} — ${cureOf(due.class)}.`;
  const text = fence("failing", words);
  const tokens = estimateTokens(text);
  const room = (limit * core.marks.brim - level.used) / ratio - 1;
  return tokens > room ? undefined : { index, text, tokens };
}

/** The line as far as it is the same however often the call failed. */
const opening = ({ request }: Call, { name }: Streak): string =>
  `The same call of ${offersTool(request, name) ? `the tool ${toolName(name)}` : "a tool"} failed`;

/** Has a call failed since the message before this one that could have told of it? Most turns end here. */
function justFailed({ dialect, conversation }: Call, index: number): boolean {
  for (let at = index; at > index - LOOKED; at--) {
    const message = conversation[at];
    if (message === undefined) return false;
    const speaker = dialect.speaker(message);
    if (at < index && speaker === "user") return false;
    if (dialect.results(message).some(failed)) return true;
    if (at === index && speaker === "tool") return false;
  }
  return false;
}

/** Calls that failed and have not gone well since, the one that failed last at the end. */
function streaksOf({ dialect, conversation }: Call, index: number): Streak[] {
  let streaks: Streak[] = [];
  const calls = new Map<string, Made>();
  const first = Math.max(0, index + 1 - LOOKED);
  for (const [place, message] of conversation.slice(first, index + 1).entries()) {
    for (const made of dialect.calls(message)) calls.set(made.id, made);
    for (const result of dialect.results(message)) {
      const made = calls.get(result.id);
      // One that was stopped neither failed nor went well.
      if (made === undefined || (result.failed && !failed(result))) continue;
      const asked = askedOf(made);
      const isSame = (streak: Streak): boolean =>
        streak.name === made.name && alike(streak.asked, asked);
      const same = streaks.find(isSame);
      streaks = streaks.filter((streak) => !isSame(streak));
      if (!failed(result)) continue;
      streaks.push({
        name: made.name,
        asked,
        from: same?.from ?? first + place,
        count: (same?.count ?? 0) + 1,
        class: errorClass(result.text),
      });
    }
  }
  return streaks.reverse();
}
