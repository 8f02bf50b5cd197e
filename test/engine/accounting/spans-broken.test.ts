import { type Span, trace } from "@opentelemetry/api";
import fc from "fast-check";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { openSpans } from "../../../src/engine/runtime/tracing.ts";
import { assistant, leaveRooms, openRoom, requestOf, tell, user } from "../../support/talk.ts";
import { runs } from "../../support/runs.ts";

afterEach(leaveRooms);
afterEach(() => trace.disable());

const fail = (): never => {
  throw new Error("broken tracer");
};
type Begin = (span: Span) => unknown;
const sound = {
  isRecording: () => true,
  setAttributes: () => undefined,
  setStatus: () => undefined,
  end: () => undefined,
};
const CALLS = ["isRecording", "setAttributes", "setStatus", "end"] as const;
const spanThat = (fails: readonly string[]): Span =>
  ({
    ...sound,
    ...Object.fromEntries(CALLS.filter((name) => fails.includes(name)).map((name) => [name, fail])),
  }) as unknown as Span;

/** What a tracer may do with the work it is given. */
const starts: Readonly<Record<string, (begin: Begin, span: Span) => unknown>> = {
  "as it should": (begin, span) => begin(span),
  "it never does": () => undefined,
  "it throws before": fail,
  "it throws behind": (begin, span) => (begin(span), fail()),
  twice: (begin, span) => [begin(span), begin(span)],
  later: (begin, span) => void setImmediate(() => begin(span)),
  "with no span": (begin) => begin(undefined as never),
  chained: async (begin, span) => void (await begin(span)),
};

function playTracer(fails: readonly string[], start: string): void {
  trace.disable();
  const startActiveSpan = (_name: string, _options: unknown, begin: Begin) =>
    starts[start]!(begin, spanThat(fails));
  trace.setGlobalTracerProvider({
    getTracer: () => (fails.includes("getTracer") ? fail() : { startActiveSpan, startSpan: fail }),
  } as never);
}

describe("a tracer that fails", () => {
  it("disturbs nothing: the work is done once, its answer or its error is the caller's, and trouble is told of once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.subarray([...CALLS, "getTracer"]),
        fc.constantFrom(...Object.keys(starts)),
        fc.boolean(),
        async (fails, start, rejects) => {
          playTracer(fails, start);
          const troubles: unknown[] = [];
          const spans = await openSpans((thrown) => troubles.push(thrown));
          const answer = {};
          let done = 0;
          const work = async (say: (about: () => object) => void): Promise<object> => {
            done += 1;
            await Promise.resolve();
            say(() => ({ x: 1 }));
            if (rejects) throw new RangeError("the work's own");
            return answer;
          };
          for (const times of [1, 2, 3]) {
            const told = spans.run({ name: "x", about: () => ({ y: 2 }) }, work as never);
            if (rejects) await expect(told).rejects.toThrow("the work's own");
            else expect(await told).toBe(answer);
            await new Promise((resolve) => setImmediate(resolve));
            expect(done).toBe(times);
          }
          expect(troubles.length).toBeLessThanOrEqual(1);
          if (start === "it throws before" || fails.includes("getTracer"))
            expect(troubles).toHaveLength(1);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it.each([
    ...Object.keys(starts).map((start) => [start, [] as string[]] as const),
    ["as it should", [...CALLS]] as const,
    ["as it should", ["getTracer"]] as const,
  ])("leaves a whole conversation as it is, when its spans begin: %s %s", async (start, fails) => {
    playTracer(fails, start);
    const { tidemark, events } = await openRoom();
    const turn = await tell(tidemark, [user("Which boat is ours?")], assistant("The Nixe."));
    expect(turn.request.messages).toHaveLength(1);
    const { id } = await tidemark.memory.save("Our boat is the Nixe.");
    expect(await tidemark.memory.list()).toHaveLength(1);
    expect(await tidemark.memory.recall("Which boat is ours?")).toHaveLength(1);
    await tidemark.memory.update(id, { content: "Our boat is the Undine." });
    expect(await tidemark.memory.forget(id)).toBe(1);
    await expect(tidemark.begin(requestOf([]), { conversation: "" })).rejects.toMatchObject({
      code: "config",
    });
    const degraded = events.filter(({ type }) => type === "degraded");
    const troubled =
      fails.length > 0 ||
      start === "it throws before" ||
      start === "it throws behind" ||
      start === "with no span";
    expect(degraded).toEqual(
      troubled
        ? [
            {
              type: "degraded",
              where: "spans",
              error: expect.stringMatching(
                /^The tracer failed, nothing is traced any more: /,
              ) as string,
            },
          ]
        : [],
    );
  });
});

describe("without @opentelemetry/api", () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-untraced-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("all works, and nothing is said of it", () => {
    const root = join(import.meta.dirname, "../../..");
    for (const part of ["src", "workspace-template", "package.json"])
      cpSync(join(root, part), join(folder, part), { recursive: true });
    // Every package but that one.
    mkdirSync(join(folder, "node_modules"));
    for (const name of readdirSync(join(root, "node_modules")))
      if (name !== "@opentelemetry")
        symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
    const program = `
      import { openTidemark } from "${join(folder, "src/index.ts")}";
      const has = await import("@opentelemetry/api").then(() => true, () => false);
      const events = [];
      const tidemark = await openTidemark({ workspace: false, listen: (event) => events.push(event) });
      const turn = await tidemark.begin({ model: "m", messages: [{ role: "user", content: "hi" }] });
      await turn.end({ role: "assistant", content: "Hello." });
      await tidemark.memory.save("The gate opens at seven.");
      const hits = await tidemark.memory.recall("When does the gate open?");
      await tidemark.close();
      console.log(JSON.stringify({ has, hits: hits.length, degraded: events.filter(({ type }) => type === "degraded") }));`;
    const out = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(JSON.parse(out)).toEqual({ has: false, hits: 1, degraded: [] });
  });
});
