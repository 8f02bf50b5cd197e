import { asText, dicts, isDict } from "../base/guards.ts";
import { type ProviderRequest } from "../model/request.ts";
import { type Capabilities } from "./models/capabilities.ts";
import { asksToDrop } from "./thinking.ts";

/** The betas an Anthropic request makes use of, as its model has them. */
export function betasOf(
  request: ProviderRequest,
  can: Pick<Capabilities, "serverCompaction" | "dropBlock" | "clearAt">,
): string[] {
  const cleared = request.messages.some(({ clear_at: clears }) => clears === "next_user_message");
  const compacted = isDict(request.compaction) || holdsCompaction(request);
  return [
    cleared ? can.clearAt : undefined,
    asksToDrop(request) ? can.dropBlock : undefined,
    compacted ? can.serverCompaction : undefined,
  ].filter((beta) => beta !== undefined);
}

/** Does it begin with a summary of the provider's own. */
export const holdsCompaction = ({ messages }: ProviderRequest): boolean => {
  const [first] = dicts(messages[0]?.content);
  return first !== undefined && asText(first.type) === "compaction";
};
