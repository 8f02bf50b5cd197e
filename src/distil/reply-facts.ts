import { type MemoryKind } from "../model/memory.ts";
import { cleaned, head } from "../text/cut.ts";
import { isArray, isObject, type Loose, type LooseObject } from "./loose-json.ts";

/** A fact as the model wrote it: `cites` are ordinals, not yet checked against anything. */
export interface ReplyFact {
  readonly content: string;
  readonly category?: string;
  readonly importance: number;
  readonly key?: string;
  readonly kind?: MemoryKind;
  readonly supersedes?: string;
  /** Inclusive ranges of ordinals. */
  readonly cites: readonly (readonly [first: number, last: number])[];
}

const MAX_FACTS = 200;
const MAX_CONTENT = 2_000;
const MAX_KEY = 200;
const MAX_CATEGORY = 60;
const KINDS: readonly MemoryKind[] = ["fact", "learning", "record", "procedure", "episode", "policy"];
const GRADES: Readonly<Record<string, number>> = Object.assign(Object.create(null) as object, { critical: 1, high: 0.9, medium: 0.5, normal: 0.5, low: 0.2 });

/** The facts of a reply's list, each by itself: a bad one costs only itself. */
export function factsOf(values: readonly Loose[]): ReplyFact[] {
  const whole = values.flatMap((value) => (isObject(value) ? [value, ...value.loose] : [value])).filter((value) => !(isObject(value) && (value.cut || value.damaged)));
  // One grade above 1 says that the model grades all of them from 1 to 10, or to 100.
  const most = whole.reduce<number>((top, value) => Math.max(top, isObject(value) ? (gradeOf(member(value, "importance"), 1) ?? 0) : 0), 0);
  const scale = most > 10 ? 100 : most > 1 ? 10 : 1;
  const seen = new Set<string>();
  const facts: ReplyFact[] = [];
  for (const value of whole) {
    if (facts.length === MAX_FACTS) break;
    const content = isObject(value) ? contentOf(value) : typeof value === "string" ? short(value, MAX_CONTENT) : "";
    if (content === "" || seen.has(content.toLowerCase())) continue;
    seen.add(content.toLowerCase());
    facts.push(isObject(value) ? factOf(value, content, scale) : { content, importance: 0.5, cites: [] });
  }
  return facts;
}

function factOf(value: LooseObject, content: string, scale: number): ReplyFact {
  const category = wordOf(member(value, "category"), MAX_CATEGORY);
  const key = wordOf(member(value, "key"), MAX_KEY);
  const supersedes = wordOf(member(value, "supersedes"), MAX_CONTENT);
  const named = wordOf(member(value, "kind"), MAX_CATEGORY)?.toLowerCase();
  const kind = KINDS.find((known) => known === named);
  return {
    content,
    importance: Math.min(1, Math.max(0, gradeOf(member(value, "importance"), scale) ?? 0.5)),
    cites: citesOf(member(value, "from")),
    ...(category === undefined ? {} : { category }),
    ...(key === undefined ? {} : { key }),
    ...(kind === undefined ? {} : { kind }),
    ...(supersedes === undefined ? {} : { supersedes }),
  };
}

function member(value: LooseObject, name: string): Loose | undefined {
  const exact = value.members.get(name);
  if (exact !== undefined) return exact;
  for (const [other, found] of value.members) if (other.toLowerCase() === name) return found;
  return undefined;
}

/** An object that says something: an item of a list of facts. */
export const namesFact = (value: Loose): boolean => isObject(value) && contentOf(value) !== "";

const contentOf = (value: LooseObject): string => wordOf(member(value, "content") ?? member(value, "fact") ?? member(value, "text"), MAX_CONTENT) ?? "";

const short = (text: string, max: number): string => head(cleaned(text).trim(), max).trim();

function wordOf(value: Loose | undefined, max: number): string | undefined {
  const one = isArray(value) ? value.items[0] : value;
  const text = typeof one === "string" ? short(one, max) : typeof one === "number" ? String(one) : "";
  return text === "" ? undefined : text;
}

/** A number or its figures, measured by `scale`; "8/10", "80 %" and "high" bring their own. */
function gradeOf(value: Loose | undefined, scale: number): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value / scale : undefined;
  if (typeof value !== "string") return undefined;
  const [, figure, percent, whole] = /^(-?\d{1,9}(?:\.\d{1,9})?)\s{0,3}(?:(%)|\/\s{0,3}(\d{1,9}))?$/.exec(value.slice(0, 60).trim()) ?? [];
  if (figure === undefined) return GRADES[value.slice(0, 60).trim().toLowerCase()];
  return Number(figure) / (percent !== undefined ? 100 : whole !== undefined ? Number(whole) || 1 : scale);
}

/** Ordinals as [3, 5], 3, "3", "#3, #7" or "3-5". */
function citesOf(value: Loose | undefined): (readonly [number, number])[] {
  const cites: [number, number][] = [];
  for (const one of isArray(value) ? value.items : [value]) {
    if (cites.length >= 1_000) break;
    if (typeof one === "number" && Number.isInteger(one)) cites.push([one, one]);
    if (typeof one !== "string") continue;
    for (const [, first, last] of one.slice(0, 400).matchAll(/#?(\d{1,9})(?:\s?(?:-|–|…|\.\.\.?|to)\s?#?(\d{1,9}))?/g))
      cites.push([Number(first), Number(last ?? first)]);
  }
  return cites;
}
