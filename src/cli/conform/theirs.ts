import { defined } from "../../base/defined.ts";
import { type Message } from "../../model/request.ts";
import { answers, type Survived } from "./canary.ts";
import { type Compactor } from "./compactor.ts";
import { PLANTED, REPLY, type Trial } from "./ours.ts";
import { faultIn } from "./sound.ts";
import { allText, countTokens } from "./words-of.ts";

/** Share of the limit at which the messages are given to the compactor: where Tidemark folds. */
const COMPACT_AT = 0.7;
const NEXT: Message = { role: "user", content: "Go on." };

/** Plants the canaries in a conversation whose owner replaces its messages by what the compactor makes of them. */
export async function throughCompactor(
  { canaries, filler, folds, window, progress }: Trial,
  { fold, end }: Pick<Compactor, "fold" | "end">,
): Promise<Survived> {
  const limit = window - REPLY;
  const seen = { folds: 0, before: 0, after: 0, invalid: 0 };
  let messages: Message[] = [];
  let first: string | undefined;
  let [early, planting, refused] = [false, true, false];
  // A request that is larger than the window ends the conversation, however often it would be made smaller again.
  const goesOn = (): boolean => countTokens(messages) <= window;
  const tell = async (exchange: readonly Message[]): Promise<void> => {
    for (const message of exchange) {
      if (!goesOn()) return;
      messages.push(message);
      const before = countTokens(messages);
      if (message.role !== "user" || before <= COMPACT_AT * limit || seen.folds >= folds) continue;
      messages = await fold(messages, { fold: seen.folds + 1, limit });
      seen.folds += 1;
      seen.before += before;
      seen.after += countTokens(messages);
      const fault = faultIn(messages, window);
      refused = fault !== undefined;
      if (fault !== undefined) {
        seen.invalid += 1;
        first ??= `at fold ${seen.folds}: ${fault}`;
      }
      early ||= planting;
      progress?.(seen.folds);
    }
  };
  for (const { messages: exchange } of canaries) {
    await tell(exchange);
    if (countTokens(messages) < PLANTED * limit) await tell(filler());
  }
  planting = false;
  while (seen.folds < folds && goesOn()) await tell(filler());
  await end(seen.folds);
  const last = faultIn(messages.at(-1)?.role === "user" ? messages : [...messages, NEXT], window);
  if (last !== undefined && !refused) {
    seen.invalid += 1;
    first ??= `behind fold ${seen.folds}: ${last}`;
  }
  const stuck = refused || last !== undefined;
  const text = stuck ? "" : allText(messages);
  const mean = (sum: number): number => sum / Math.max(1, seen.folds);
  return {
    folds: seen.folds,
    before: mean(seen.before),
    after: mean(seen.after),
    invalid: seen.invalid,
    ...defined({ refused: first }),
    stuck,
    early,
    inPrompt: canaries.map((canary) => answers(text, canary)),
  };
}
