import { asDict } from "../core/base.ts";
import { reasonOf } from "../core/errors-and-events.ts";
import { mask } from "../core/secrets/mask.ts";
import { clipLines } from "../core/text/markdown.ts";
import { estimateTokens } from "../core/tokens/estimate.ts";
import { REST_LEFT_OUT, SECTIONS } from "./frozen-sections.ts";
import type { InjectStrategy } from "./options/inject-types.ts";
import type { Call, Ground } from "./ports.ts";

/** Tokens that a strategy's text may have, as facts may: these, or a share of the limit. */
const TOKENS = 900;
/** ms that it has even where the host has no patience. */
const WAIT = 50;

/** What the host's strategy says for an epoch; undefined where it threw or was late. */
export async function hostSection(
  { name, prepare }: InjectStrategy,
  { who, limit, patience }: Pick<Call, "who" | "limit" | "patience">,
  notice: Ground["notice"],
): Promise<{ name: string; text: string } | undefined> {
  const tokens = Math.floor(Math.min(TOKENS, limit * SECTIONS.share));
  const { identity, seen } = who;
  const asking = async (): Promise<unknown> =>
    (await prepare({ identity, query: seen.said, tokens })) ?? "";
  const asked = asking().catch((thrown: unknown) => ({ why: reasonOf(thrown) }));
  const { result } = await patience.wait(asked, Math.max(WAIT, patience.left()));
  const about = `The strategy "${name}" of inject gave`;
  if (typeof result !== "string") {
    const { why = result === undefined ? "it was late" : typeof result } = asDict(result);
    notice.say("inject-missing", `${about} no text (${String(why)}): turns go without it.`);
    return undefined;
  }
  let text = mask(result);
  const taken = estimateTokens(text);
  if (taken > tokens)
    notice.say("inject-cut", `${about} ${taken} tokens, of which ${tokens} are told.`);
  for (let most = text.length; estimateTokens(text) > tokens; most *= 0.9)
    text = clipLines(text, Math.floor((most * tokens) / taken), REST_LEFT_OUT);
  return { name, text };
}
