import { capabilitiesOf } from "../../dialect/models/capabilities.ts";
import { ON_DEMAND } from "../../dialect/models/table.ts";
import { asksToDrop, mayDropBlocks, thinksByHand } from "../../dialect/thinking.ts";
import { asText, dicts, isDict } from "../../base/guards.ts";
import type { Fold, SessionState } from "../../model/history.ts";
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

/**
 * May a fold stand as the summary the provider signed. Where the model itself has written it, it may unless the host says
 * otherwise: before the provider's list has come it would stand as our own text for one request, which nothing has cached.
 */
export function signs(call: Call, fold?: Fold): boolean {
  const { core, model, can } = call;
  if (wants(call) !== "server" || call.addsBetas !== true) return false;
  const wrote =
    fold?.signed?.model === model
      ? capabilitiesOf(model, core.options.advanced?.models, { serverCompaction: ON_DEMAND })
      : can;
  return wrote.serverCompaction !== undefined;
}

/**
 * May the provider be asked for one. A loop of manual thinking must begin with its thought, which a summary would take away;
 * servers that would be connected to, and edits of the provider's own, have no place in such a request.
 */
export function maySign(call: Call): boolean {
  const { request, core, compact } = call;
  const { context_management: managed, mcp_servers: servers } = request;
  const edits = isDict(managed) ? dicts(managed.edits) : [];
  return (
    signs(call) &&
    compact !== undefined &&
    core.options.distil !== "extractive" &&
    !thinksByHand(request) &&
    dicts(servers).length === 0 &&
    !edits.some(({ type }) => asText(type).startsWith("compact_"))
  );
}
