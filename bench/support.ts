import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
};
export const median = (values: readonly number[]): number => percentile(values, 0.5);
export const round = (value: number): number => Math.round(value * 1000) / 1000;

/** Prints the figures and keeps them in `file`, with the command that made them. */
export function record(
  name: string,
  figures: Record<string, unknown>,
  given = "",
  file = name,
): void {
  const folder = join(import.meta.dirname, "results");
  mkdirSync(folder, { recursive: true });
  const result = {
    command: `npm run bench -- ${name} ${given}`.trimEnd(),
    node: process.version,
    figures,
  };
  writeFileSync(join(folder, `${file}.json`), `${JSON.stringify(result, null, 2)}\n`);
  console.log(JSON.stringify(result, null, 2));
}
