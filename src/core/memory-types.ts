import { refuse } from "./errors-and-events.ts";
import { isOfGroup } from "./identity.ts";
import { type ListOptions, type Memory, momentOf, type SaveInput } from "./memory.ts";
import type { MemoryKind, MemoryType } from "./memory-kinds.ts";
import { contentTerms } from "./text/terms.ts";

const WORKING = "working";
const ABOUT = "about:";
/** Working memory is over by tomorrow. */
const DAY = 86_400_000;

const EDGE = "edge:";
/** Characters of each part. */
const LONGEST_PART = 60;

/** "It" and "the user's" are whatever was spoken of last. */
export const isName = (text: string): boolean =>
  contentTerms(text.replace(/\bthe users?\b(?:['’]s)?/gi, "")).terms.length > 0;

/** The tag of what stands in a relation to what; none where either end is no name. */
export function edgeTags(edges: readonly string[]): string[] {
  const [subject = "", , object = ""] = edges;
  const isEdge = edges.length === 3 && isName(subject) && isName(object);
  const isShort = edges.every((part) => part.length <= LONGEST_PART && !/[|\n]/.test(part));
  return isEdge && isShort ? [`${EDGE}${edges.join("|")}`] : [];
}

export const edgesOf = ({ tags }: Pick<Memory, "tags">): string[] | undefined =>
  tags
    .find((tag) => tag.startsWith(EDGE))
    ?.slice(EDGE.length)
    .split("|");

const OF_KIND: Readonly<Record<MemoryKind, MemoryType>> = {
  ...{ fact: "semantic", record: "semantic", policy: "semantic" },
  ...{ learning: "procedural", procedure: "procedural", episode: "episodic" },
};
const KIND_OF: Partial<Record<MemoryType, MemoryKind>> = {
  ...{ semantic: "fact", procedural: "procedure", episodic: "episode" },
};

export const typeOf = ({ kind, tags }: Pick<Memory, "kind" | "tags">): MemoryType => {
  if (tags.includes(WORKING)) return "working";
  return tags.some((tag) => tag.startsWith(ABOUT)) ? "social" : OF_KIND[kind];
};

/** The input with its type as kind, tags and end. Throws "config". */
export function typed(
  { type, about, edges = [], ...input }: SaveInput,
  now: number,
): Omit<SaveInput, "type" | "about" | "edges"> {
  if (type === "social" && about === undefined)
    refuse('memory.save: a social memory says whom it is about: { type: "social", about: "Ada" }.');
  const tags = [
    ...edgeTags(edges),
    ...(type === "working" ? [WORKING] : []),
    ...(about === undefined ? [] : [`${ABOUT}${about}`]),
  ];
  const kind = type === undefined ? undefined : KIND_OF[type];
  return {
    ...(kind !== undefined && { kind }),
    ...(type === "working" && { until: now + DAY }),
    ...input,
    ...(tags.length > 0 && { tags: [...(input.tags ?? []), ...tags] }),
  };
}

/** The key of a copy that an agent has made for a group: it names the author, and what it is of. */
export const publishedKey = (author: string, id: string): string => `published/${author}/${id}`;
export const authorOf = ({ key = "" }: Pick<Memory, "key">): string | undefined =>
  /^published\/(.+)\/\w+$/.exec(key)?.[1];

type Narrowed = Pick<ListOptions, "type" | "tags" | "since" | "until" | "shared" | "except">;

/** Says which memories are meant; undefined where all are. */
export function narrowing({
  type,
  tags = [],
  since,
  until,
  shared,
  except,
}: Narrowed): ((memory: Memory) => boolean) | undefined {
  if ([type, since, until, shared, except].every((one) => one === undefined) && tags.length === 0)
    return undefined;
  const from = since === undefined ? -Infinity : momentOf(since, "since");
  const to = until === undefined ? Infinity : momentOf(until, "until");
  return (memory) =>
    (type === undefined || typeOf(memory) === type) &&
    tags.every((tag) => memory.tags.includes(tag)) &&
    (shared !== true || isOfGroup(memory.scope)) &&
    (except === undefined || authorOf(memory) !== except) &&
    memory.at >= from &&
    memory.at < to;
}
