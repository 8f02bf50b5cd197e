import { type MemoryPatch } from "../model/memory.ts";
import { type Mask } from "../text/secrets/mask.ts";
import { type Draft } from "./draft.ts";
import { type Fact } from "./save.ts";

/** A draft without the secrets in what it says: nothing of them reaches the journal, a database or a file. */
export function maskedDraft(draft: Draft, mask: Mask): Draft {
  const { key, tags } = draft;
  return { ...draft, content: mask(draft.content), ...(key === undefined ? {} : { key: mask(key) }), ...(tags === undefined ? {} : { tags: tags.map(mask) }) };
}

export function maskedPatch(patch: MemoryPatch, mask: Mask): MemoryPatch {
  const { content, tags } = patch;
  return { ...patch, ...(content === undefined ? {} : { content: mask(content) }), ...(tags === undefined ? {} : { tags: tags.map(mask) }) };
}

export function maskedFact(fact: Fact, mask: Mask): Fact {
  const { key, tags, supersedes } = fact;
  return {
    ...fact,
    content: mask(fact.content),
    ...(key === undefined ? {} : { key: mask(key) }),
    ...(supersedes === undefined ? {} : { supersedes: mask(supersedes) }),
    ...(tags === undefined ? {} : { tags: tags.map(mask) }),
  };
}
