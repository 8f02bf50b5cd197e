import { readFileSync } from "node:fs";
import { packageFile } from "../model/installed.ts";

export function packageVersion(): string {
  const about = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as {
    version: string;
  };
  return about.version;
}
