import { oneLine } from "../../text/cut.ts";
import { failed } from "./failures.ts";
import { captionOf, commandOf, plans, shortened, subjectOf, writes } from "./subject.ts";
import { type Step, type Transcript } from "./transcript.ts";
import { type Group, type Unit } from "./units.ts";

interface Action {
  readonly step: Step;
  readonly caption: string;
  readonly isPath: boolean;
  times: number;
  last: Step;
}

/** Tool calls, compressed: files by tool with counts, other calls with what came of them. */
export function doneUnits({ turns }: Transcript): Unit[] {
  const actions = new Map<string, Action>();
  for (const step of turns.flatMap(({ steps }) => steps)) {
    if (plans(step) || (step.answer !== undefined && failed(step.answer))) continue;
    const subject = commandOf(step) === undefined || writes(step) ? subjectOf(step) : undefined;
    const caption = subject ?? captionOf(step);
    const key = `${step.name}\n${caption}`;
    const known = actions.get(key);
    if (known === undefined) actions.set(key, { step, caption, isPath: subject !== undefined, times: 1, last: step });
    else {
      known.times += 1;
      known.last = step;
    }
  }
  const byTool = new Map<string, Group>();
  const units: Unit[] = [];
  for (const { step, caption, isPath, times, last } of actions.values()) {
    const fresh = 0.5 + (0.5 * (last.index + 1)) / turns.length;
    const changed = writes(step);
    const count = times > 1 ? ` ×${times}` : "";
    if (isPath) {
      let group = byTool.get(step.name);
      if (group === undefined) {
        group = { section: "done", order: (changed ? -2e6 : -1e6) + step.index, label: `${step.name}: `, style: "list", size: 0 };
        byTool.set(step.name, group);
      }
      units.push({ group, order: group.size++, text: `${caption}${count}`, value: (changed ? 0.5 : 0.06) * fresh });
      continue;
    }
    // A look-up by one value: the values together make one line.
    const [only, ...others] = step.leaves;
    if (!changed && only !== undefined && others.length === 0 && only.key !== "" && only.value.length <= 80 && !/\s/.test(only.value)) {
      const label = `${step.name} ${only.key}=`;
      let group = byTool.get(label);
      if (group === undefined) {
        group = { section: "done", order: step.index, label, style: "list", size: 0 };
        byTool.set(label, group);
      }
      units.push({ group, order: group.size++, text: `${only.value}${count}`, value: 0.05 * fresh });
      continue;
    }
    const group: Group = { section: "done", order: last.index, label: `${step.name}${count}${caption === "" ? "" : ": "}`, style: "arrow", size: 2 };
    const outcome = outcomeOf(last, caption);
    units.push({ group, order: 0, text: caption === "" ? "✓" : caption, value: (changed ? 0.6 : 0.12) * fresh });
    if (outcome !== "") units.push({ group, order: 1, text: outcome, value: (changed ? 0.4 : 0.1) * fresh });
  }
  return units;
}

/** A short answer whole; of a long one the pair that names what came into being, else its last line when that is short. */
function outcomeOf({ answer }: Step, caption: string): string {
  if (answer === undefined) return "";
  const text = answer.text.trim().replace(/<\/?[a-z_-]{1,40}>/g, "").trim();
  if (text.startsWith("{")) return pairsOf(text.slice(0, 2_000), caption);
  if (text.length <= 120) return oneLine(text);
  if (text.startsWith("[")) return "";
  const last = text.slice(text.lastIndexOf("\n") + 1);
  return last.length <= 100 ? oneLine(last) : shortened(oneLine(text.slice(0, 400)), 80);
}

/** The first plain members of an object, those left out that the call itself named. */
function pairsOf(json: string, caption: string): string {
  let pairs = "";
  for (const [, key = "", quoted, bare] of json.matchAll(/"([A-Za-z_][A-Za-z0-9_]{0,40})"\s{0,3}:\s{0,3}(?:"([^"\n]{1,80})"|([0-9.]{1,20}|true|false)(?=[,}\s]))/g)) {
    const value = quoted ?? bare ?? "";
    if (caption.includes(value)) continue;
    const pair = `${key}=${value}`;
    if (pairs.length + pair.length > 110) break;
    pairs += pairs === "" ? pair : `, ${pair}`;
  }
  return pairs;
}
