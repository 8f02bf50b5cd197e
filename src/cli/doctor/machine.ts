import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** One thing looked at. `advice` says what to do about it. */
export interface Check {
  readonly state: "well" | "look" | "broken";
  readonly says: string;
  readonly advice?: string;
  /** What --fix does about it. */
  readonly fix?: Fix;
}

export interface Fix {
  /** "make …", "put …": behind "--fix would". */
  readonly does: string;
  /** Answers what was done, in a sentence. */
  readonly run: () => Promise<string>;
}

export const well = (says: string): Check => ({ state: "well", says });
export const look = (says: string, advice: string, fix?: Fix): Check => ({
  state: "look",
  says,
  advice,
  fix,
});
export const broken = (says: string, advice: string, fix?: Fix): Check => ({
  state: "broken",
  says,
  advice,
  fix,
});

/** The first whose SDK hands its calls to middleware. */
const SDK_NEEDED = [0, 101] as const;

/** Node, the SDK, the key, the switch in the environment. */
export async function checksOfMachine(env: NodeJS.ProcessEnv): Promise<Check[]> {
  return [
    // An older Node does not come this far.
    well(`Node ${process.versions.node} (22 or newer is needed)`),
    sdk(),
    (env.ANTHROPIC_API_KEY ?? "") !== ""
      ? well(
          `ANTHROPIC_API_KEY is set${(env.ANTHROPIC_BASE_URL ?? "") === "" ? "" : ` and goes to ${env.ANTHROPIC_BASE_URL}`}`,
        )
      : look(
          "ANTHROPIC_API_KEY is not set",
          'only "tidemark chat" needs one: export ANTHROPIC_API_KEY=… (keys are made at console.anthropic.com)',
        ),
    ...(env.TIDEMARK === "off"
      ? [look("TIDEMARK=off is set: requests pass untouched and nothing is kept", "unset TIDEMARK")]
      : []),
  ];
}

function sdk(): Check {
  const version = sdkVersion();
  if (version === undefined)
    return look(
      "@anthropic-ai/sdk is not installed",
      'only "tidemark chat" and programs with Claude need it: npm install @anthropic-ai/sdk',
    );
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const old = major < SDK_NEEDED[0] || (major === SDK_NEEDED[0] && minor < SDK_NEEDED[1]);
  return old
    ? look(
        `@anthropic-ai/sdk ${version} ignores middleware: Tidemark sees none of its calls`,
        "npm install @anthropic-ai/sdk@latest",
      )
    : well(`@anthropic-ai/sdk ${version}`);
}

function sdkVersion(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url);
    const about = JSON.parse(
      readFileSync(join(rootOf(resolve("@anthropic-ai/sdk")), "package.json"), "utf8"),
    ) as { version: string };
    return about.version;
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
