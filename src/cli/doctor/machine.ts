import { present } from "../../base/guards.ts";
import { createRequire } from "node:module";
import { versionIn } from "../render/io.ts";
import { dirname, join } from "node:path";

/** One thing looked at. `advice` says what to do about it. */
export interface Check {
  readonly state: "well" | "look" | "broken";
  readonly says: string;
  readonly advice?: string;
  /** Has the next start mend it. */
  readonly mend?: () => void;
}

const check =
  (state: "look" | "broken") =>
  (says: string, advice: string): Check => ({ state, says, advice });
export const well = (says: string): Check => ({ state: "well", says });
export const look = check("look");
export const broken = check("broken");

/** The first of the 0.x whose SDK hands its calls to middleware. */
const SDK_NEEDED = 101;

/** The SDK, and the switch in the environment. */
export function checksOfMachine(env: NodeJS.ProcessEnv): Check[] {
  return present([
    sdk(),
    env.TIDEMARK === "off" &&
      look("TIDEMARK=off is set: requests pass untouched and nothing is kept", "unset TIDEMARK"),
  ]);
}

function sdk(): Check {
  const version = sdkVersion();
  if (version === undefined)
    return look(
      "@anthropic-ai/sdk is not installed",
      'only "tidemark chat" and programs with Claude need it: npm install @anthropic-ai/sdk',
    );
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major === 0 && minor < SDK_NEEDED
    ? look(
        `@anthropic-ai/sdk ${version} ignores middleware: Tidemark sees none of its calls`,
        "npm install @anthropic-ai/sdk@latest",
      )
    : well(`@anthropic-ai/sdk ${version}`);
}

function sdkVersion(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url);
    return versionIn(join(rootOf(resolve("@anthropic-ai/sdk")), "package.json"));
  } catch {
    return undefined;
  }
}

/** The package's own folder: the SDK does not export its package.json under every version. */
function rootOf(file: string): string {
  const marker = join("@anthropic-ai", "sdk");
  return file.includes(marker)
    ? file.slice(0, file.lastIndexOf(marker) + marker.length)
    : dirname(file);
}
