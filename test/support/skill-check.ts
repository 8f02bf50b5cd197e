import { parse } from "yaml";

/** What breaks the specification of Agent Skills, or what the API takes of it; [] for a skill that is sound. */
export function skillFaults(folder: string, text: string): string[] {
  const found = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text);
  if (found === null) return ["no front matter at the very beginning"];
  const [, front = "", body = ""] = found;
  const faults: string[] = [];
  // Readers of YAML 1.1 take more texts for numbers, dates and booleans.
  const [head, older] = (["1.2", "1.1"] as const).map(
    (version) => parse(front, { version, maxAliasCount: 0 }) as Record<string, unknown>,
  );
  if (JSON.stringify(head) !== JSON.stringify(older)) faults.push("read otherwise by YAML 1.1");
  const { name, description, metadata, ...others } = head ?? {};
  const odd = Object.keys(others).filter(
    (key) => !["license", "compatibility", "allowed-tools"].includes(key),
  );
  if (odd.length > 0) faults.push(`unknown fields ${odd.join(", ")}`);
  if (typeof name !== "string" || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
    faults.push(`name ${JSON.stringify(name)}`);
  else {
    if (name.length > 64) faults.push("a name of more than 64 characters");
    if (name !== folder) faults.push(`name ${name} in folder ${folder}`);
    if (/anthropic|claude/.test(name)) faults.push("a reserved word in the name");
  }
  if (typeof description !== "string" || description.trim() === "") faults.push("no description");
  else {
    if (description.length > 1_024) faults.push("a description of more than 1,024 characters");
    if (/[<>]/.test(description)) faults.push("a tag in the description");
    if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(description)) faults.push("control characters");
  }
  const isMap = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  if (!isMap || Object.values(metadata).some((value) => typeof value !== "string"))
    faults.push("metadata that is no map of texts");
  if (body.split("\n").length >= 500) faults.push("a body of 500 lines or more");
  if (body.trim() === "") faults.push("no body");
  if (/<[\p{L}/!?]/u.test(body)) faults.push("a tag in the body");
  return faults;
}
