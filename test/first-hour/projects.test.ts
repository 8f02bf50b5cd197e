import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCompletionsServer } from "../support/completions-server.ts";
import { startMessagesServer } from "../support/messages-server/index.ts";
import { packed } from "../support/packed.ts";
import { readme } from "../support/readme.ts";
import { PROGRAMS } from "./programs.ts";

const examples = readdirSync("examples")
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(join("examples", file), "utf8"));
type Name = keyof typeof PROGRAMS;
type Json = Record<string, unknown>;
const execute = promisify(execFile);

/** How the line begins. */
const CUT = "The server reads about";
/** What each project may say on stderr, once each run. */
const SAID: Readonly<Record<Name, readonly string[]>> = {
  anthropic: [],
  openai: [],
  "ai-sdk": [],
  ollama: [CUT],
};
/** What the local server really reads. */
const READS = 4_096;

interface Served {
  readonly env: Record<string, string>;
  readonly bodies: () => readonly Json[];
  readonly refusals: () => readonly unknown[];
  close(): Promise<void>;
}

const isDistilling = (body: Json): boolean =>
  JSON.stringify(body.messages).includes("[tidemark] distil");
const weather = (body: Json): Json => {
  if (isDistilling(body))
    return { content: '{"facts":[],"summary":"They went through the reports of the piers."}' };
  const last = (body.messages as Json[]).at(-1);
  if (last?.role === "user" && String(last.content).includes("report 5."))
    return {
      content: null,
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } },
      ],
    };
  return { content: "Noted." };
};

async function serve(name: Name): Promise<Served> {
  if (name === "openai" || name === "ollama") {
    const server = await startCompletionsServer({
      reply: weather,
      ...(name === "ollama" ? { cuts: READS, window: Infinity } : { window: 8_192 }),
    });
    return {
      env: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: "none is needed here" },
      bodies: () => server.requests.filter((body) => !isDistilling(body)),
      refusals: () => server.refusals,
      close: () => server.close(),
    };
  }
  const server = await startMessagesServer({
    window: 8_192,
    reply: (request) =>
      JSON.stringify((request.messages as Json[]).at(-1)).includes("How is the weather?")
        ? [{ type: "tool_use", name: "weather", input: {} }]
        : "Noted.",
  });
  const env = {
    ANTHROPIC_BASE_URL: `${server.url}${name === "ai-sdk" ? "/v1" : ""}`,
    ANTHROPIC_API_KEY: "none is needed here",
  };
  return {
    env,
    bodies: () => server.requests.filter(({ distil }) => !distil).map(({ body }) => body),
    refusals: () => server.refusals,
    close: () => server.close(),
  };
}

describe.each(Object.keys(PROGRAMS) as Name[])("a project made by what README says: %s", (name) => {
  let served: Served;
  let folder: string;
  beforeAll(async () => {
    served = await serve(name);
    // Beside the packed package that `npm i` put there; the workspace is new.
    folder = mkdtempSync(join((await packed()).project, `${name}-`));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "chat.ts"), PROGRAMS[name]);
  });
  afterAll(() => served.close());

  const run = async (what: "talk" | "ask"): Promise<string[]> => {
    const { stderr } = await execute(process.execPath, ["chat.ts", what], {
      cwd: folder,
      env: {
        ...process.env,
        ...served.env,
        PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
      },
    });
    return stderr.split("\n").filter((line) => line !== "");
  };
  const said = (lines: readonly string[]): void => {
    const unexpected = lines.filter(
      (line) => !SAID[name].some((start) => line.startsWith(`[tidemark] ${start}`)),
    );
    expect(unexpected).toEqual([]);
    for (const start of SAID[name])
      expect(
        lines.filter((line) => line.startsWith(`[tidemark] ${start}`)).length,
        start,
      ).toBeLessThanOrEqual(1);
  };

  it("says of Tidemark only what README says", () => {
    const ours = PROGRAMS[name]
      .split("\n")
      .map((line) => line.trim())
      .filter(
        (line) =>
          /tidemark|turn\.(?:end|request)/i.test(line) &&
          !line.startsWith("const tidemark") &&
          !/stream: true|for await|\.begin\(|end\(chunks\)/.test(line),
      );
    const told = [readme, ...examples].join("\n");
    for (const line of ours) {
      const [way] = /\w+\(tidemark\)/.exec(line) ?? [line];
      expect(told).toContain(way);
    }
  });

  it("folds, remembers after a restart, and says nothing but what it should", async () => {
    const lines = await run("talk");
    said(lines);
    if (name === "ollama") expect(lines.some((line) => line.includes(CUT))).toBe(true);
    expect(served.refusals()).toEqual([]);
    expect(
      served
        .bodies()
        .some((body) => JSON.stringify(body.messages).includes("tidemark-summary fold")),
    ).toBe(true);
    said(await run("ask"));
    const asked = JSON.stringify(served.bodies().at(-1));
    expect(asked).toContain("What is my cat called?");
    expect(asked).toContain("Whiskerino");
  });
});
