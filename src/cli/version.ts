import { readFileSync } from "node:fs";

/** package.json stands two folders up from src and from dist alike. */
export function packageVersion(): string {
  const about = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  return about.version;
}
