import { reasonOf } from "../model/errors.ts";
import { type Listen } from "../model/events.ts";
import { type Hit, type Why } from "../model/memory.ts";
import { type TurnCandidate, type TurnIndex } from "../model/store.ts";
import { queryTerms } from "../text/terms.ts";
import { byId, RANKING, relevance, scoreOf, weigh } from "./rank.ts";

/**
 * Turns for a question, from the conversations of one root. What was said does not fade (recency halves the recall of
 * turns), and nobody weighs a turn: it stands on the memories' scale as one of middling importance, never used.
 */
export async function searchTurns(
  { turns, listen }: { turns: TurnIndex; listen: Listen },
  query: string,
  { root, limit = 10 }: { root: string; limit?: number },
): Promise<Hit[]> {
  try {
    const asked = queryTerms(query);
    if (asked.length === 0) return [];
    const weighing = weigh(asked, await turns.frequencies(root, asked.map(({ term }) => term)));
    if (weighing.terms.length === 0) return [];
    const candidates = await turns.search({ root, terms: weighing.terms, limit: Math.max(3 * limit, 50) });
    return candidates
      .map((turn) => ({ turn, hit: hitOf(turn, relevance(turn.terms, weighing)) }))
      .filter(({ hit }) => hit.why.words >= RANKING.least)
      .sort((one, other) => other.hit.score - one.hit.score || inTime(one.turn, other.turn))
      .slice(0, limit)
      .map(({ hit }) => hit);
  } catch (error) {
    listen({ type: "degraded", where: "search in history", error: reasonOf(error) });
    return [];
  }
}

/** Of equals the one said first: it is where a thing was told, later ones refer to it (1.3 points of rec@10 on LoCoMo's five). */
const inTime = (one: TurnCandidate, other: TurnCandidate): number => one.at - other.at || one.position - other.position || byId(one.id, other.id);

function hitOf({ id, session, text, ref }: TurnCandidate, words: number): Hit {
  const why: Why = { words, meaning: 0, recency: 0, use: 1 / RANKING.mostUse, importance: 0.5 };
  return { id, from: "history", text, score: scoreOf(why, 1), why, ...(ref === undefined ? {} : { ref }), source: session };
}
