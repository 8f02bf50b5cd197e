import { estimateTokens } from "../../tokens/estimate.ts";
import { identifiers } from "../../text/identifiers.ts";
import { type Language } from "../../text/language.ts";
import { wholeHead } from "../../text/sentences.ts";
import { askedUnits, type Request, requestsOf } from "./asked.ts";
import { doneUnits } from "./done.ts";
import { type Earlier } from "./earlier.ts";
import { type Failure } from "./failures.ts";
import { type Entry, type Ledger } from "./ledger.ts";
import { nameUnits } from "./names.ts";
import { render, titleLine } from "./render.ts";
import { select } from "./select.ts";
import { failureUnits, toldUnits } from "./told.ts";
import { type Transcript } from "./transcript.ts";
import { LEFT_OUT, type Unit } from "./units.ts";
import { worth } from "./worth.ts";

export interface Material {
  readonly transcript: Transcript;
  readonly ledger: Ledger;
  readonly failures: readonly Failure[];
  readonly earlier: Earlier;
  readonly language: Language;
}

/** Share of the budget the beginnings of the requests may take before anything else is weighed. */
const HEADS_SHARE = 0.45;
const VITAL_SHARE = 0.75;
/** Share that the last statement may take likewise. */
const STATE_SHARE = 0.12;
const MOST_ROUNDS = 3;
/** Fuller than this is full enough. */
const FULL = 0.97;
/** Shorter beginnings than this say nothing, longer ones are not needed to know the request again. */
const HEAD_LENGTHS = { least: 32, most: 280 };

export function summarise({ transcript, ledger, failures, earlier, language }: Material, budget: number): string {
  const length = transcript.turns.length;
  const values = new Map<string, number>();
  const rank = (entry: Entry): number => {
    const known = values.get(entry.text) ?? worth(entry, length);
    values.set(entry.text, known);
    return known;
  };
  const names = (text: string): Map<string, number> => {
    const found = new Map<string, number>();
    for (const { text: name } of identifiers(text)) {
      const entry = ledger.get(name);
      if (entry !== undefined) found.set(name, rank(entry));
    }
    return found;
  };

  const requests = requestsOf(transcript, earlier.requests);
  const real = requests.filter(({ courtesy }) => !courtesy).length;
  // Four characters a token in English, one and a half in Chinese.
  const room = ((budget * HEADS_SHARE) / Math.max(real, 1) - 4) * (language === "zh" ? 1.2 : 4);
  const asked = askedUnits(requests, { language, headLength: Math.round(Math.min(HEAD_LENGTHS.most, Math.max(HEAD_LENGTHS.least, room))) });
  const told = toldUnits(transcript);
  const heads = affordable(asked.heads, requests, budget);
  const state = told.state.filter(({ text }) => estimateTokens(text) <= Math.max(budget * STATE_SHARE, 24));
  const units = [
    ...asked.heads.filter((unit) => !heads.includes(unit)),
    ...asked.rest,
    ...told.rest,
    ...told.state.filter((unit) => !state.includes(unit)),
    ...failureUnits(failures, length),
    ...doneUnits(transcript),
    ...nameUnits(ledger, rank),
    ...earlier.units,
  ];
  const title = (section: Parameters<typeof titleLine>[0]): number => estimateTokens(`${titleLine(section, language)}\n`);
  // Prices are rounded up unit by unit, so the whole comes out smaller than its parts: what is left is given out again.
  let best = "";
  for (let round = 0, room = budget, last = 0; round < MOST_ROUNDS; round += 1) {
    const chosen = select([...heads, ...state], units, { budget: room, title, names });
    const text = fitted(chosen, { budget, language, requests: asked.heads.length });
    const size = estimateTokens(text);
    if (size >= estimateTokens(best)) best = text;
    if (size > budget * FULL || chosen.length === last) break;
    last = chosen.length;
    const more = Math.floor(room * (budget / Math.max(size, budget / 2)));
    if (more <= room) break;
    room = more;
  }
  return best;
}

/** As many beginnings as their share holds: the open ones, the first, then from the newest back. */
function affordable(heads: readonly Unit[], requests: readonly Request[], budget: number): Unit[] {
  const open = new Set(requests.filter((request) => request.open).map(({ index }) => index));
  const newest = [...heads].reverse();
  const inTurn = [...newest.filter(({ group }) => open.has(group.order)), ...heads.slice(0, 1), ...newest];
  const kept = new Set<Unit>();
  let spent = 0;
  for (const unit of inTurn) {
    if (kept.has(unit)) continue;
    const cost = estimateTokens(unit.group.label + unit.text) + 3;
    // Without what is still open or was asked first the rest has no point.
    const share = open.has(unit.group.order) || unit === heads[0] ? VITAL_SHARE : HEADS_SHARE;
    if (spent + cost > budget * share) continue;
    spent += cost;
    kept.add(unit);
  }
  return [...kept];
}

/** Joints and rounding make the whole a little larger or smaller than its parts: the last chosen give way. */
function fitted(chosen: readonly Unit[], { budget, language, requests }: { budget: number; language: Language; requests: number }): string {
  for (let count = chosen.length; count > 0; ) {
    const kept = chosen.slice(0, count);
    const text = render(kept, language);
    const over = estimateTokens(text) - budget;
    if (over <= 0) {
      const omitted = requests - new Set(kept.flatMap(({ group }) => (group.section === "asked" ? [group] : []))).size;
      const counted = omitted > 0 ? render([...kept, note(LEFT_OUT[language](omitted))], language) : text;
      return estimateTokens(counted) <= budget ? counted : text;
    }
    for (let freed = 0; count > 0 && freed < over; ) freed += estimateTokens(chosen[(count -= 1)]?.text ?? "");
  }
  const only = chosen[0]?.text ?? "";
  for (let most = only.length; most > 0; most = Math.floor(most / 2)) {
    const head = wholeHead(only, most);
    if (estimateTokens(head) <= budget) return head;
  }
  return "";
}

const note = (text: string): Unit => ({ group: { section: "asked", order: -Infinity, label: "", style: "quote", size: 1 }, order: 0, text, value: 0 });
