import { cleaned, head, oneLine } from "../../text/cut.ts";
import { isArray, isObject, looseJson, type Loose } from "./loose-json.ts";

/** What to do when, found out by a failure. */
export interface Procedure {
  readonly discovery: string;
  readonly condition: string;
  readonly action: string;
  readonly rationale: string;
  readonly steps: readonly string[];
  /** 0…1. */
  readonly confidence: number;
  readonly tags: readonly string[];
}

/** Characters; of lists also how many. */
const BOUNDS = { discovery: 600, text: 2_000, step: 300, steps: 50, tag: 40, tags: 20 } as const;
/** What a reply of 1,500 tokens cannot exceed. */
const LONGEST_REPLY = 50_000;

/** The last answer of this form in a reply; undefined where it has none that is whole. */
export function procedureIn(reply: string): Procedure | undefined {
  for (const value of looseJson(reply.slice(0, LONGEST_REPLY)).reverse()) {
    const read = procedureOf(value);
    if (read !== undefined) return read;
  }
  return undefined;
}

function procedureOf(value: Loose): Procedure | undefined {
  if (!isObject(value) || value.cut || value.damaged) return undefined;
  const text = (name: string, most: number): string => textOf(value.members.get(name), most);
  const confidence = value.members.get("confidence");
  const read: Omit<Procedure, "confidence"> = {
    discovery: text("discovery", BOUNDS.discovery),
    condition: text("condition", BOUNDS.text),
    action: text("action", BOUNDS.text),
    rationale: text("rationale", BOUNDS.text),
    steps: textsOf(value.members.get("steps"), BOUNDS.steps, BOUNDS.step),
    tags: textsOf(value.members.get("tags"), BOUNDS.tags, BOUNDS.tag),
  };
  if (typeof confidence !== "number" || !(confidence >= 0 && confidence <= 1)) return undefined;
  // Where nothing is to be learnt, nothing need be said.
  const isWhole = read.discovery !== "" && read.condition !== "" && read.action !== "";
  return isWhole || confidence === 0 ? { ...read, confidence } : undefined;
}

const textOf = (value: Loose | undefined, most: number): string =>
  typeof value === "string" ? head(oneLine(cleaned(value)), most).trim() : "";

const textsOf = (value: Loose | undefined, most: number, longest: number): string[] =>
  value !== undefined && isArray(value)
    ? value.items
        .map((item) => textOf(item, longest))
        .filter((text) => text !== "")
        .slice(0, most)
    : [];

/** What a remembered procedure says, by its lines; undefined for a part that has none. */
export function procedureParts(text: string): {
  discovery: string;
  condition?: string;
  action: readonly string[];
  rationale?: string;
} {
  const [discovery = "", ...lines] = text.split("\n").filter((line) => line.trim() !== "");
  const behind = (start: string): string | undefined =>
    lines.find((line) => line.startsWith(start))?.slice(start.length);
  const action = lines
    .filter((line) => !/^(?:When|Why): /.test(line))
    .map((line) => line.replace(/^Do: /, ""));
  return { discovery, condition: behind("When: "), action, rationale: behind("Why: ") };
}

/** As it is remembered: what was found out first, since a brief shows the beginning. */
export const procedureText = ({
  discovery,
  condition,
  action,
  rationale,
  steps,
}: Procedure): string =>
  [
    discovery,
    `When: ${condition}`,
    `Do: ${action}`,
    ...steps.map((step, at) => `${at + 1}. ${step}`),
    ...(rationale === "" ? [] : [`Why: ${rationale}`]),
  ].join("\n");
