import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTidemark, type Options, type Tidemark } from "../../src/index.ts";
import { runs } from "../support/runs.ts";
import { freshFolder } from "../support/afterwards.ts";

const WORKER = { agent: "w", team: "crew" } as const;

/** Two processes on one workspace. */
async function pair(options: Options = {}) {
  const root = freshFolder();
  const workspace = join(root, "ws");
  const open = () => openTidemark({ workspace, distil: "extractive", listen: false, ...options });
  const rooms = [await open(), await open()] as const;
  const close = () => Promise.all(rooms.map((one) => one.close()));
  return { rooms, workspace, root, close };
}

/** "done", or the code of what it rejects with. */
const told = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (answer) => answer !== false && "done",
    (thrown: { code: string }) => thrown.code,
  );

const decisions = fc.array(fc.tuple(fc.nat(1), fc.boolean()), { minLength: 2, maxLength: 5 });
const lead = (room: Tidemark): Tidemark => room.as({ agent: "boss", team: "crew", role: "lead" });

/** All decide about the one proposal at once; the one that stands. */
async function decided(
  rooms: readonly [Tidemark, Tidemark],
  how: readonly (readonly [number, boolean])[],
): Promise<"accepted" | "declined"> {
  const [proposal] = await lead(rooms[0]).proposals.list();
  const id = proposal?.id ?? "";
  const answers = await Promise.all(
    how.map(([at, accepted]) => {
      const { proposals } = lead(at === 0 ? rooms[0] : rooms[1]);
      return told(accepted ? proposals.accept(id) : proposals.decline(id));
    }),
  );
  expect(answers.filter((one) => one === "done")).toHaveLength(1);
  for (const [at, [, accepted]] of how.entries())
    if (answers[at] !== "done") expect(answers[at]).toBe(accepted ? "not-found" : false);
  expect(await lead(rooms[1]).proposals.list()).toEqual([]);
  return how[answers.indexOf("done")]?.[1] === true ? "accepted" : "declined";
}

describe("what several processes decide at once", () => {
  it("of a memory that would move is decided once, and the others are told so", async () => {
    await fc.assert(
      fc.asyncProperty(decisions, async (how) => {
        const { rooms, close } = await pair();
        const worker = rooms[0].as(WORKER);
        const { id } = await worker.memory.save("The blue door sticks.");
        await worker.memory.promote(id, { to: "team:crew" });
        const stands = await decided(rooms, how);
        const scope = (await worker.memory.get(id))?.scope;
        expect(scope).toBe(stands === "accepted" ? "team:crew" : "agent:w");
        await close();
      }),
      { numRuns: runs(10) },
    );
  });
});

describe("a record that several processes change at once", () => {
  it("holds what each set, or another has told that it failed", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.nat(1), fc.constantFrom("archive", "keywords", "content", "move", "delete")),
          { minLength: 2, maxLength: 5 },
        ),
        async (changes) => {
          const { rooms, workspace, close } = await pair();
          const { id } = await rooms[0].records.add({ category: "decision", content: "Tea." });
          const did = await Promise.all(
            changes.map(([at, what], n) => {
              const { records } = at === 0 ? rooms[0] : rooms[1];
              const doing = {
                archive: () => records.archive(id),
                keywords: () => records.update(id, { keywords: ["tea"] }),
                content: () => records.update(id, { content: `Coffee ${n}.` }),
                move: () => records.reclassify(id, `other-${n}`),
                delete: () => records.delete(id),
              };
              return told(doing[what]());
            }),
          );
          for (const one of did) expect(["done", "conflict", "not-found", false]).toContain(one);
          const done = changes.filter((_, at) => did[at] === "done").map(([, what]) => what);
          const [stands, ...more] = [
            ...(await rooms[1].records.list()),
            ...(await rooms[1].records.list({ archived: true })),
          ];
          expect(more).toEqual([]);
          expect(stands === undefined).toBe(done.includes("delete"));
          if (stands !== undefined) {
            expect(stands.id).toBe(id);
            expect(stands.archived).toBe(done.includes("archive"));
            expect(stands.keywords).toEqual(done.includes("keywords") ? ["tea"] : []);
            const kept = readdirSync(workspace, { recursive: true, withFileTypes: true })
              .filter((one) => one.isFile() && one.parentPath.includes("records"))
              .map((one) => readFileSync(join(one.parentPath, one.name), "utf8"))
              .join("\n");
            changes.forEach(([, what], n) => {
              if (what === "content" && did[n] === "done") expect(kept).toContain(`Coffee ${n}.`);
            });
          }
          await close();
        },
      ),
      { numRuns: runs(15) },
    );
  });
});

describe("a promotion that waits", () => {
  it("is not accepted where its agent has said something else since, until it is proposed anew", async () => {
    const { rooms, close } = await pair();
    const worker = rooms[0].as(WORKER);
    const run = async (name: string, input: object): Promise<string> =>
      (await worker
        .tools()
        .find((one) => one.name === name)
        ?.run(input)) ?? "";
    await run("memory_save", { content: "The blue door sticks.", category: "fact" });
    const [memory] = await worker.memory.list();
    const id = memory?.id ?? "";
    await run("memory_promote", { id, to: "team:crew" });
    await run("memory_update", { id, version: 1, content: "The red door sticks." });
    const [proposal] = await lead(rooms[1]).proposals.list();
    expect(proposal?.memory?.content).toBe("The red door sticks.");
    const accept = (shown?: { words?: string; digest?: string }) =>
      lead(rooms[1]).proposals.accept(proposal?.id ?? "", shown);
    await expect(accept()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/was changed after it was proposed. It says now: "The red/),
    });
    const { words, digest } = proposal ?? {};
    await run("memory_update", { id, version: 2, content: "The green door sticks." });
    await expect(accept({ words })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/"The red door sticks."\. It says now: "The green/),
    });
    await expect(accept({ digest })).rejects.toMatchObject({ code: "conflict" });
    const [shown] = await lead(rooms[1]).proposals.list();
    expect(await accept(shown)).toMatchObject({ id, scope: "team:crew" });
    expect(await lead(rooms[0]).proposals.list()).toEqual([]);
    await close();
  });
});
