import type { ImportedMessage } from "../../conversations/import.ts";
import { asDict, asText, defined, type Dict } from "../../core/base.ts";
import type { Moment } from "../../core/memory.ts";

/** A line of a log: what was said in it, in Anthropic's blocks, and after which line. */
export interface LogNode {
  readonly id?: string | undefined;
  /** null: the first of all; undefined: it stands after the line before it. */
  readonly parent?: string | null | undefined;
  readonly role: "user" | "assistant";
  readonly blocks: readonly Dict[];
  /** Lines of one reply share it. */
  readonly reply?: string | undefined;
  readonly at?: Moment | undefined;
}

/** A message of a branch, of however many lines. */
interface Gathered {
  readonly role: LogNode["role"];
  readonly content: Dict[];
  readonly ref: string | undefined;
  readonly at: Moment | undefined;
}

const idsOf = ({ blocks }: LogNode, type: string, name: string): string[] =>
  blocks.flatMap((block) => (block.type === type ? [asText(block[name])] : []));
const callsOf = (node: LogNode): string[] => idsOf(node, "tool_use", "id");
const resultsOf = (node: LogNode): string[] => idsOf(node, "tool_result", "tool_use_id");

/**
 * The conversation that leads to `leaf`, else to what was said last; then each branch that was
 * dropped, from the beginning to its end, the latest first.
 */
export function branchesOf(nodes: readonly LogNode[], leaf?: string | null): LogNode[][] {
  const places = new Map(nodes.map(({ id }, at) => [id, at]));
  const parents = nodes.map(({ parent }, at) =>
    parent === null ? -1 : ((parent === undefined ? undefined : places.get(parent)) ?? at - 1),
  );
  const wayTo = (from: number): ReadonlySet<number> => {
    const way = new Set<number>();
    for (let at = from; at >= 0 && !way.has(at); at = parents[at] ?? -1) way.add(at);
    return withBeside(nodes, way);
  };
  const spoken = nodes.flatMap(({ blocks }, at) => (blocks.length > 0 ? [at] : []));
  const end = (leaf === null ? -1 : places.get(leaf ?? "")) ?? spoken.at(-1) ?? -1;
  const ways = [wayTo(end)];
  const taken = new Set(ways[0]);
  for (const at of spoken.toReversed()) {
    if (taken.has(at)) continue;
    const way = wayTo(at);
    ways.push(way);
    for (const one of way) taken.add(one);
  }
  return ways.map((way) => nodes.filter(({ blocks }, at) => blocks.length > 0 && way.has(at)));
}

/** Calls made at once, and their results, branch from each other in a log and belong together. */
function withBeside(nodes: readonly LogNode[], way: Set<number>): ReadonlySet<number> {
  const on = nodes.filter((_, at) => way.has(at));
  const replies = new Set(on.map(({ reply }) => reply));
  const [calls, answered] = [new Set(on.flatMap(callsOf)), new Set(on.flatMap(resultsOf))];
  for (const [at, node] of nodes.entries()) {
    const results = resultsOf(node);
    const isAnswer =
      results.length > 0 && results.every((id) => calls.has(id) && !answered.has(id));
    if (way.has(at) || !(isAnswer || (node.reply !== undefined && replies.has(node.reply))))
      continue;
    way.add(at);
    for (const id of callsOf(node)) calls.add(id);
    for (const id of results) answered.add(id);
  }
  return way;
}

/** The messages the model saw: one reply is one, and what stands between two replies. */
export function gather(nodes: readonly LogNode[]): Gathered[] {
  const all: Gathered[] = [];
  const replies = new Map<string, Gathered>();
  for (const { id, role, blocks, reply, at } of nodes) {
    const last = all.at(-1);
    const known = reply === undefined && last?.role === role ? last : replies.get(reply ?? "");
    const message = known ?? { role, content: [], ref: id, at };
    message.content.push(...blocks);
    if (known === undefined) all.push(message);
    if (reply !== undefined) replies.set(reply, message);
  }
  // The provider wants results before words.
  const isWords = ({ type }: Dict): number => Number(type !== "tool_result");
  for (const { role, content } of all)
    if (role === "user") content.sort((one, other) => isWords(one) - isWords(other));
  return all;
}

/** A program's own words in its user's place: the model was shown them, and no person said them. */
const SHOWN = /^\s*(?:<(?:task-notification|ide_|bash-)|\[Request interrupted by user)/;

/**
 * What people and models said, as `history.import` takes it: calls and their results are none. A
 * text that was handed over is not its bearer's word, and is told as a tool's.
 */
export const saidOn = (nodes: readonly LogNode[]): ImportedMessage[] =>
  gather(nodes).flatMap(({ role, content, ref, at }) => {
    const of = (type: string): Dict[] => content.filter((block) => block.type === type);
    const named = (end = "") => defined({ ref: ref && `${ref}${end}`, at });
    const files = of("document").map(({ title, source }, nth) => ({
      ...{ role: "tool", name: asText(title), text: asText(asDict(source).data) },
      ...named(` file ${nth + 1}`),
    }));
    const text = of("text")
      .map((block) => asText(block.text))
      .filter((words) => !SHOWN.test(words));
    return text.length === 0 ? files : [...files, { role, text: text.join("\n\n"), ...named() }];
  });
