import { asksToDrop, mayDropBlocks } from "../../dialect/thinking.ts";
import type { SessionState } from "../../model/history.ts";
import type { ThinkingOption } from "../../model/request.ts";
import type { ThinkingRule } from "../../prompt/assemble.ts";
import type { Call } from "./core.ts";

/** The model is not asked for a beta again while this process lives. */
export const noteRefused = ({ core, model }: Call): void =>
  void core.process.refusedBetas.add(model);

const wants = ({ core, model }: Call): ThinkingOption =>
  core.process.refusedBetas.has(model) ? "leave-out" : (core.options.advanced?.thinking ?? "auto");

/** How a request's thinking is treated where it may not hold. */
export function ruleFor(call: Call, state: SessionState): ThinkingRule {
  const { can, request, addsBetas = false, firstParty = false } = call;
  const want = wants(call);
  const asked = want === "drop-block" || (want === "auto" && firstParty);
  const drops =
    want !== "leave-out" &&
    (asksToDrop(request) ||
      (asked && addsBetas && can.dropBlock !== undefined && mayDropBlocks(request)));
  return {
    binds: call.binds,
    drops,
    refusedUpTo: state.refused?.upTo ?? 0,
  };
}
