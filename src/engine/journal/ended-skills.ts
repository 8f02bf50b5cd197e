import { procedureParts } from "../../distil/reply/procedure.ts";
import { degraded } from "../../model/errors.ts";
import type { Memory } from "../../model/memory.ts";
import { clip } from "../../text/cut.ts";
import type { Skill } from "../../workspace/documents/skills.ts";
import { valuesOf } from "../../memory/saving/values.ts";
import type { Ground, Kept } from "../session/core.ts";
import { proposedIn } from "./proposal-list.ts";

/** Characters of each half of a description. */
const FOR = 600;
const WHEN = 380;

/**
 * What was made of memories goes with them: skills, and what is proposed of them; and a skill says
 * what its memory does, where a person or the host has said that. Trouble is told.
 */
export async function settleMade({ store, workspace, emit }: Ground & Kept): Promise<void> {
  try {
    const proposed = proposedIn(workspace);
    const named = new Set([
      ...(await workspace.skills.made()),
      ...(await proposed.all()).flatMap(([, { memory }]) => memory ?? []),
    ]);
    if (named.size === 0) return;
    const kept = (await valuesOf(store, [...named])).filter(({ until }) => until === undefined);
    const current = new Map(kept.map(({ stored: { memory } }) => [memory.id, memory]));
    for (const memory of current.values())
      if (memory.origin === "host" || memory.origin === "user")
        await workspace.skills.rewrite(skillOf(memory));
    const over = [...named].filter((id) => !current.has(id));
    if (over.length === 0) return;
    await workspace.skills.remove(over);
    await proposed.dropIf(({ memory = "" }) => over.includes(memory));
  } catch (thrown) {
    emit(degraded("skills", thrown));
  }
}

/** A procedure as an agent reads it that may load it as a skill. */
export function skillOf({ id, content, at, source }: Memory): Skill {
  const { discovery, condition, action, rationale } = procedureParts(content);
  const when = condition === undefined ? "" : ` Use when: ${clip(condition, WHEN)}`;
  return {
    memory: id,
    title: discovery,
    description: `${clip(discovery, FOR)}${when}`,
    body: [
      "## What was found out",
      discovery,
      ...(condition === undefined ? [] : ["", "## When", condition]),
      ...(action.length === 0 ? [] : ["", "## What to do", ...action]),
      ...(rationale === undefined ? [] : ["", "## Why", rationale]),
    ],
    created: at,
    source,
  };
}
