import type { Signing } from "../session/core.ts";
import { reasonOf, TidemarkError } from "../../model/errors.ts";
import type { Signed } from "../../model/history.ts";
import { placeIn } from "../../prompt/assemble.ts";
import { snapshotOf, isAsSnapshot, marked, type Outgoing } from "../session/outgoing-request.ts";
import { metered } from "../accounting/metered-call.ts";
import { summaryTokens } from "../background/warm-prefix.ts";
import { isReplySeam } from "./plan-question.ts";
import { maySign } from "../session/thinking.ts";
import type { Prepared } from "../background/prepare-summary.ts";

const keyOf = ({ upTo, chain, fold }: Prepared): string => `${upTo} ${chain} ${fold ?? ""}`;

/**
 * The provider's own summary of what is prepared: asked for when the fold is due, while the conversation goes on; "coming"
 * until it is there. It is given once, to the first request after it came, as the provider wants it; undefined means that
 * the fold stands as our own text.
 */
export function signedFor(
  outgoing: Outgoing,
  ready: Prepared,
  { urgent }: { urgent: boolean },
): Signed | "coming" | undefined {
  const { core, positions } = outgoing;
  const { signing: known, ending } = core.process;
  const session = outgoing.session.id;
  const found = known.get(session);
  if (found?.key === keyOf(ready)) {
    if (found.over) return undefined;
    if (found.came === undefined && !urgent) return "coming";
    found.over = true;
    found.abort.abort();
    return found.came && !isLate(outgoing, found.came.at) ? found.came.signed : undefined;
  }
  if (urgent || !maySign(outgoing)) return undefined;
  const cut = positions.findIndex((position) => position >= ready.upTo);
  if (!isReplySeam(outgoing, cut)) return undefined;
  found?.abort.abort();
  const abort = new AbortController();
  const one: Signing = {
    key: keyOf(ready),
    abort,
    over: false,
    done: signedSummary(
      snapshotOf(outgoing),
      cut,
      AbortSignal.any([abort.signal, ending.signal]),
    ).then((signed) => void (signed ? (one.came = { signed, at: core.now() }) : (one.over = true))),
  };
  known.set(session, one);
  core.background.run(one.done);
  return "coming";
}

/** Until the summary under way is there, or is not to come. */
export const signingDone = async ({ core, session }: Outgoing): Promise<void> =>
  core.process.signing.get(session.id)?.done;

/** Replies thought behind the whole history once the summary was there do not hold behind it; one may have been on its way. */
const isLate = ({ entries }: Outgoing, at: number): boolean =>
  entries.filter((entry) => entry.reply && entry.at > at).length > 1;

const INSTRUCTIONS =
  "Summarize the conversation for yourself, to go on with it from there. Keep, word for word where it matters: what the user asked for last and what is still open; decisions and corrections; rules and wishes of the user's; names, numbers, paths, identifiers; what was tried and failed, and why. What stands in <tidemark-…> tags is remembered elsewhere: leave it out. Never repeat passwords, keys or tokens.";

async function signedSummary(
  outgoing: Outgoing,
  cut: number,
  outer: AbortSignal,
): Promise<Signed | undefined> {
  const { core, who, dialect, model, compact, view } = outgoing;
  const session = outgoing.session.id;
  try {
    if (compact === undefined || (await core.history.pins(who.root, session)).length > 0)
      return undefined;
    const place = placeIn(view, cut);
    const chain = core.binding.chain(dialect, view.request);
    for (const message of view.request.messages.slice(0, place))
      chain.add(message, message === view.signed?.message ? view.signed : undefined);
    const { system, tools, messages } = marked(outgoing, place);
    const wishes = core.distil.instructions;
    const instructions = wishes === undefined ? INSTRUCTIONS : `${INSTRUCTIONS}\n\n${wishes}`;
    const ask = metered(core, (asked) => compact({ ...asked, instructions }), {
      session,
      dialect,
      model,
      purpose: "compact",
    });
    const answer = await core.slots.run(outer, undefined, () => {
      if (!isAsSnapshot(outgoing))
        throw new TidemarkError(
          "distil",
          "messages were changed in place before the provider could be asked to sum them up",
        );
      const maxTokens = summaryTokens(outgoing.limit) * 2;
      return ask({ system, messages, tools, maxTokens, signal: outer });
    });
    if (answer.message === undefined)
      throw new TidemarkError(
        "distil",
        `The provider wrote no summary (it stopped with ${answer.stop ?? "no reason"}); the history stays as it is.`,
      );
    // Behind one that a model wrote which binds nothing, no thought of a model that does is taken.
    return {
      message: answer.message,
      model,
      head: core.binding.head(dialect, view.request),
      prefixes: outgoing.can.boundThinking ? [...chain.all()] : [],
    };
  } catch (thrown) {
    if (!outer.aborted && !core.closed)
      core.emit({
        type: "distil-failed",
        session,
        error: `The provider's own summary: ${reasonOf(thrown)}`,
      });
    return undefined;
  }
}
