import { copies } from "../../text/copied.ts";
import { type FailedTask } from "../../distil/task/proposal.ts";
import { type Memory } from "../../model/memory.ts";
import { digest } from "../../text/hash.ts";
import { proposedIn } from "../journal/proposed.ts";
import { type Core, type Who } from "../session/core.ts";

/**
 * A procedure that was just made waits to be accepted as a skill, if one is wanted. A skill is read as an instruction, so none may hold
 * words of a tool: what stands on those of the error is remembered, marked as it is, and not proposed. Only one that is new is looked
 * at: of an older one it is not known any more which error it was made of.
 */
export async function proposeSkill(
  core: Core,
  { identity }: Who,
  { id, content, scope }: Memory,
  { error, description }: Pick<FailedTask, "error" | "description">,
): Promise<void> {
  if (core.skills === undefined || copies(content, error, description)) return;
  const { role: _asked, ...from } = identity;
  await proposedIn(core.workspace).add(core.newId(), {
    kind: "skill",
    memory: id,
    to: scope,
    from,
    at: core.now(),
    words: digest(content),
  });
}
