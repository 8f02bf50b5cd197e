import { concede } from "./concede.ts";
import { GROWTH, LANDING } from "./limits.ts";
import { seamBefore } from "../dialect/common/loop.ts";
import { type FoldPlan, type FoldQuestion } from "./question.ts";

export type { FoldPlan, FoldQuestion, Shortening } from "./question.ts";

const percent = (part: number, whole: number): string => `${Math.round((part / whole) * 100)} %`;

/** Where a fold below the brim may land: at half of the limit, else anywhere under 0.65 that frees a tenth (design §3.4, 3.5). */
export function landsWell({
  used,
  landing,
  limit,
}: {
  used: number;
  landing: number;
  limit: number;
}): boolean {
  const frees = used - landing;
  return (
    (landing <= LANDING.best * limit && frees >= GROWTH * limit) ||
    (landing < LANDING.most * limit && frees >= LANDING.frees * limit)
  );
}

/** Decides a fold in the order of design §3.4: a good landing with the tail as it is, else at the brim the concessions. */
export function planFold(question: FoldQuestion): FoldPlan {
  const { sizes, limit, used, fixed, atBrim, landed } = question;
  const first = seamBefore(sizes.length - question.keepLast, question.opens);

  if (landed !== undefined && used < limit && used - landed < GROWTH * limit)
    return {
      kind: "refuse",
      reason: `the last fold landed at ${percent(landed, limit)} and the request has hardly grown since`,
    };

  if (first > Math.max(0, question.folded)) {
    const landing =
      fixed + question.summary(first) + sizes.slice(first).reduce((sum, size) => sum + size, 0);
    if (landsWell({ used, landing, limit }))
      return { kind: "fold", cut: first, landing, shorten: new Map() };
    if (!atBrim)
      return {
        kind: "refuse",
        reason: `a fold would land at ${percent(landing, limit)} and free ${percent(Math.max(0, used - landing), limit)} of the limit`,
      };
  } else if (!atBrim) {
    return {
      kind: "refuse",
      reason: `the last ${sizes.length - first} messages are all there is to keep`,
    };
  }

  return (
    concede(question, first) ?? {
      kind: "refuse",
      reason: `nothing that may be folded or shortened would bring the request under ${percent(used, limit)}`,
    }
  );
}
