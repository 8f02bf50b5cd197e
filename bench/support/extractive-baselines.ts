import type { Dialect } from "../../src/dialect/common/dialect.ts";
import type { Message } from "../../src/model/request.ts";
import { estimateTokens } from "../../src/tokens/estimate.ts";
import { flatten } from "./extractive-measure.ts";

const sentencesOf = (text: string): string[] =>
  text.split(/(?<=[.!?。！？])\s+|\n+/).filter((sentence) => sentence.trim() !== "");

/** What fits from one end; a sentence too long for what is left is cut, so that the room is filled. */
function take(
  sentences: readonly string[],
  room: number,
  cut: (sentence: string, share: number) => string,
): string[] {
  const taken: string[] = [];
  let left = room;
  for (const sentence of sentences) {
    const cost = estimateTokens(sentence) + 1;
    taken.push(cost <= left ? sentence : cut(sentence, Math.max(0, left - 1) / cost));
    left -= cost;
    if (left <= 0) break;
  }
  return taken;
}
const fromStart = (sentence: string, share: number): string =>
  sentence.slice(0, Math.floor(sentence.length * share));
const fromEnd = (sentence: string, share: number): string =>
  sentence.slice(Math.ceil(sentence.length * (1 - share)));
const ends = (sentences: readonly string[], room: number): string =>
  [
    ...take(sentences, room / 2, fromStart),
    ...take([...sentences].reverse(), room / 2, fromEnd).reverse(),
  ].join("\n");

/** The same room filled without thought, three ways. */
export function baselines(
  prefix: readonly Message[],
  dialect: Dialect,
  room: number,
): Record<string, string> {
  const talk = prefix.map((message) => dialect.text(message)).filter((text) => text !== "");
  const eachEnds = prefix.flatMap((message) => {
    const sentences = sentencesOf(flatten([message], dialect));
    return sentences.length > 1 ? [sentences[0] ?? "", sentences.at(-1) ?? ""] : sentences;
  });
  return {
    "baseline: first and last sentences": ends(sentencesOf(flatten(prefix, dialect)), room),
    "baseline: of the spoken text only": ends(talk.flatMap(sentencesOf), room),
    "baseline: of every message": ends(eachEnds, room),
  };
}
