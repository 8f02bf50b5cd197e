import { contentWords } from "../../text/content-words.ts";
import { oneLine } from "../../text/cut.ts";
import { sentences, wholeHead } from "../../text/sentences.ts";
import { concludesFirmly, explainsFailure, isExhaust } from "./cues.ts";
import { type Failure } from "./failures.ts";
import { captionOf } from "./subject.ts";
import { type Transcript } from "./transcript.ts";
import { type Group, type Section, type Unit } from "./units.ts";

/** The last statement is quoted at this length at most before other things come. */
const STATE_HEAD = 240;
const MOST_SENTENCES = 200;

/** What the assistant said: decisions, findings, and where it stopped. `state`: what the summary should not be without. */
export function toldUnits({ turns }: Transcript): { state: Unit[]; rest: Unit[] } {
  const state: Unit[] = [];
  const rest: Unit[] = [];
  const last = turns.findLast(({ speaker, text }) => speaker === "assistant" && text !== "");
  const heard = new Set<string>();
  for (const turn of turns) {
    if (turn.speaker !== "assistant" || turn.text === "") continue;
    const parts = sentences(turn.text).slice(0, MOST_SENTENCES);
    const fresh = 0.6 + (0.4 * (turn.index + 1)) / turns.length;
    if (turn === last) {
      const group = { section: "state" as const, order: turn.index, label: "", style: "quote" as const, size: 0 };
      parts.forEach(({ text: raw }, at) => {
        const text = plain(raw);
        const head = at === 0 ? wholeHead(text, STATE_HEAD) || (text.split(" ", 1)[0] ?? "") : text;
        const unit = (words: string, continues?: string): Unit => ({
          group,
          order: group.size++,
          text: words,
          value: (at === 0 || at === parts.length - 1 ? 0.7 : 0.02 * Math.min(contentWords(words).length, 12)) * (isExhaust(words) ? 0.5 : 1),
          ...(continues === undefined ? {} : { continues }),
        });
        (at === 0 ? state : rest).push(unit(head));
        const remainder = text.slice(head.length);
        if (remainder.trim() !== "") rest.push(unit(remainder.trim(), remainder.startsWith(" ") ? " " : ""));
      });
      continue;
    }
    const lines = new Map<Section, Group>();
    parts.forEach(({ text: raw, code }, at) => {
      const text = plain(raw);
      const key = text.toLowerCase();
      if (code || heard.has(key)) return;
      heard.add(key);
      const words = contentWords(text).length;
      if (words < 2) return;
      const [section, value] = placeOf(text);
      let group = lines.get(section);
      if (group === undefined) {
        group = { section, order: turn.index, label: "", style: "quote", size: parts.length };
        lines.set(section, group);
      }
      rest.push({ group, order: at, text, value: value * fresh * Math.min(1, words / 8) });
    });
  }
  const waiting = turns.flatMap(({ steps }) => steps).filter(({ answer, index }) => answer === undefined && index === turns.at(-1)?.index);
  for (const step of waiting.slice(0, 8)) {
    const text = `${step.name}: ${captionOf(step)} …`;
    rest.push({ group: { section: "state", order: step.index + 0.5, label: "", style: "list", size: 1 }, order: 0, text, value: 0.5 });
  }
  return { state, rest };
}

/** List marks and bold take room and say nothing in a line of their own. */
export const plain = (text: string): string => text.replace(/^(?:[-*+•]|#{1,6})\s+/, "").replace(/\*\*/g, "");

function placeOf(text: string): readonly [Section, number] {
  const exhaust = isExhaust(text) ? 0.25 : 1;
  if (explainsFailure(text)) return ["failed", 0.5 * exhaust];
  if (concludesFirmly(text)) return ["decided", 0.5 * exhaust];
  return ["noted", 0.2 * exhaust];
}

/** Failed calls, what they said, and what came right. */
export function failureUnits(failures: readonly Failure[], length: number): Unit[] {
  return failures.flatMap(({ name, caption, error, steps, fixed }) => {
    const index = steps.at(-1)?.index ?? 0;
    const times = steps.length > 1 ? ` ×${steps.length}` : "";
    const group = { section: "failed" as const, order: index, label: "", style: "arrow" as const, size: 2 };
    const fresh = 0.5 + (0.5 * (index + 1)) / length;
    const units: Unit[] = [{ group, order: 0, text: `${name}${times}${caption === "" ? "" : ` (${caption})`}: ${error}`, value: (0.35 + 0.1 * Math.min(steps.length, 4)) * fresh }];
    const cure = fixed === undefined ? "" : captionOf(fixed);
    if (fixed !== undefined) units.push({ group, order: 1, text: cure === caption || cure === "" ? "ok" : oneLine(cure), value: 0.1 * fresh });
    return units;
  });
}
