import { type Identifier, identifiers, kindOf } from "../../text/identifiers.ts";
import { oneLine } from "../../text/one-line.ts";
import { failed } from "./failures.ts";
import { isReference } from "./ledger.ts";
import { commandOf, subjectOf, writes } from "./subject.ts";
import { type Step } from "./transcript.ts";

/** An id that a result gave for something the call made or asked for. */
export interface Made {
  readonly id: Identifier;
  readonly line: string;
}

/** Longer answers are pages and logs: of them only lines that say that something was made count. */
const SHORT = 400;
const READ = 20_000;
const LINES = 400;
const LONGEST_LINE = 240;
const MOST = 4;
const LONGEST_VALUE = 120;

const MAKES =
  /\b(?:creat|plac|book|open|register|assign|issu|confirm|submit|schedul|reserv|generat|deploy|publish|upload|add|charg|refund|ship|sav|start|launch|provision|push|merg|releas|record|fil|rais)(?:e|ed|ted|ged|ped)\b|\b(?:new|your) (?:order|ticket|case|issue|reference|booking|reservation|invoice|branch|job|build|id)\b|\b(?:confirmation|reference|tracking|order|ticket|case|booking|reservation|invoice|claim|receipt|transaction|job|build|run|pull request|commit)(?: (?:no|number|code|id|ref))?["']?\.?\s{0,2}[:#=]|^\[[\w./-]{1,60}(?: \(root-commit\))? [0-9a-f]{7,40}\]|已(?:创建|预订|提交|登记|生成|下单)|(?:订单|工单|单号|编号)/iu;
/** What is only good for asking the maker of a tool. */
const PASSING = /\b(?:request|trace|span|correlation|session|message|msg|event|process|thread|tool|call|container|exec)[ _-]?id\b|\b(?:req|trace|span|toolu|msg|call|evt|chatcmpl)[_-]|\bpid\b|x-request/iu;
const KINDS = new Set(["id", "hash", "url", "number", "version", "email", "path"]);

/** A program's own words tell little; one that commits or opens something prints its id and no more. */
const ACTS = /(?:\b|_)(?:create|commit|book|order|submit|open|register|deploy|publish|release|push|tag|new|add|apply|reserve|schedule|buy|pay|upload|launch|file|raise|claim|issue)(?:\b|_)/i;
const acts = (step: Step): boolean => writes(step) || ACTS.test(`${step.name} ${commandOf(step)?.slice(0, 400) ?? ""}`);

/** What is written names nothing by itself. */
const WRITING = /(?:^|_)(?:old|new)(?:_|$)|string$|_str$|^(?:text|content|contents|body|code|message|replacement|description)$/i;

/** Values a call was made with: of what it booked, wrote or registered, often nobody says the number again. */
export function givenTo(step: Step): Made[] {
  if (!acts(step)) return [];
  // The file itself is told with the others that were changed, and a program is no value.
  const besides = new Set([subjectOf(step), commandOf(step)]);
  const values = step.leaves.filter(({ key, value }) => value !== "" && value.length <= LONGEST_VALUE && !value.includes("\n") && !PASSING.test(key) && !WRITING.test(key));
  const line = values.map(({ key, value }) => (key === "" ? oneLine(value) : `${key}=${oneLine(value)}`)).join(", ");
  const ids = values.flatMap(({ key, value }): Identifier[] => {
    if (besides.has(value) || /\s/.test(value)) return [];
    const kind = kindOf(value);
    const telling = kind !== undefined && KINDS.has(kind) && isTelling(value, kind) && (kind !== "id" || /\d{2}/.test(value));
    if (telling) return [{ text: value, kind, at: 0 }];
    return (isReference(key) || REFERENCE.test(key)) && /^(?=.*[A-Z0-9]{3})[A-Za-z0-9-]{4,40}$/.test(value) ? [{ text: value, kind: "id", at: 0 }] : [];
  });
  return ids.slice(0, MOST).map((id) => ({ id, line }));
}

export function madeBy(step: Step): Made[] {
  const { answer } = step;
  if (answer === undefined || failed(answer)) return [];
  const given = step.leaves.map(({ value }) => value).join("\n");
  const short = answer.text.length <= SHORT;
  const makes = acts(step);
  const found: Made[] = [];
  for (const line of answer.text.slice(0, READ).split("\n", LINES)) {
    if (found.length >= MOST || line.length > LONGEST_LINE) continue;
    const says = MAKES.test(line);
    if (!says && !(short && makes)) continue;
    for (const id of named(line)) if (found.length < MOST && !given.includes(id.text) && !found.some((one) => one.id.text === id.text)) found.push({ id, line: line.trim() });
  }
  return found;
}

function named(line: string): Identifier[] {
  if (PASSING.test(line) && !line.includes('"')) return [];
  const plain = identifiers(line).filter(({ kind, text, at }) => KINDS.has(kind) && isTelling(text, kind) && !PASSING.test(line.slice(Math.max(0, at - 24), at + text.length)));
  // "QZ7K2M" looks like a word: the name it stands under makes it an id.
  const labelled = [...line.matchAll(/["']?([A-Za-z_][A-Za-z0-9_-]{1,40})["']?\s{0,3}[:=#]\s{0,3}["']?([A-Za-z0-9-]{4,40})(?=["'\s,;.}\]]|$)/g)].flatMap(([whole, label = "", text = ""]): Identifier[] =>
    (isReference(label) || REFERENCE.test(label)) && !PASSING.test(label) && /[A-Z0-9]{3}/.test(text) ? [{ text, kind: "id", at: whole.indexOf(text) }] : [],
  );
  return [...labelled, ...plain];
}

const REFERENCE = /^(?:confirmation|reference|ref|tracking|order|ticket|case|booking|reservation|invoice|claim|receipt|transaction|job|build)s?$/i;
/** Times, sizes and counts are no names. */
const isTelling = (text: string, kind: string): boolean =>
  !/^\d{4}-\d{2}(?:-\d{2})?|^\d{1,2}:\d{2}/.test(text) && (kind !== "number" || /^\d{5,}$/.test(text)) && (kind !== "hash" || text.length <= 40) && (kind !== "path" || text.length > 5);
