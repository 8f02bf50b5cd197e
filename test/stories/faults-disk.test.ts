import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isTidemarkError } from "../../src/core/errors-and-events.ts";
import { copy, fresh, HEARD, home, open, said, talk, tryToTalk } from "../support/faults.ts";
import { builtUrl } from "../support/built.ts";

/**
 * Root may write anywhere, so the child becomes somebody else. It has used a workspace as root before that: the sources
 * may lie where only root can read them.
 */
const CHILD = `
  const { openTidemark } = await import(${JSON.stringify(builtUrl("index"))});
  const [workspace, another] = process.argv.slice(1);
  const use = async (folder) => {
    const events = [];
    try {
      const tidemark = await openTidemark({ workspace: folder, distil: "extractive", listen: (event) => events.push(event) });
      const turn = await tidemark.begin({ model: "m", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] });
      await turn.end({ role: "assistant", content: "Hello, too", usage: { input_tokens: 1, output_tokens: 1 } });
      await tidemark.close();
      return { went: turn.request.messages.length, said: events.filter(({ type }) => type === "degraded") };
    } catch ({ code, message }) {
      return { code, message };
    }
  };
  await use(another);
  process.setgid(65534); process.setuid(65534);
  console.log(JSON.stringify(await use(workspace)));
`;
const root = process.platform === "linux" && process.getuid?.() === 0;

describe.skipIf(!root)("without the rights (only root can become somebody else, on Linux)", () => {
  const asNobody = (workspace: string): { code?: string; message?: string; went?: number } => {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", CHILD, workspace, fresh()],
      { encoding: "utf8", cwd: "/" },
    );
    expect(stderr.replace(/\(node:.*|.*Warning.*/g, "").trim()).toBe("");
    return JSON.parse(stdout) as never;
  };

  it("is one error that says whose folder to look at", async () => {
    const workspace = await copy();
    for (const folder of [home, workspace, join(workspace, ".tidemark")]) {
      chmodSync(folder, 0o755);
      const { code, message } = asNobody(workspace);
      expect(code).toBe("store");
      expect(message).toMatch(/check who owns/i);
    }
    expect((await open(workspace)).events).toEqual([]);
  });
});

/** A disk of its own; undefined where this process may mount none. */
function smallDisk(size: string): string | undefined {
  const folder = fresh();
  mkdirSync(folder, { recursive: true });
  return spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "none", folder]).status === 0
    ? folder
    : undefined;
}
const tried = root ? smallDisk("1m") : undefined;
const unmount = (disk: string | undefined): void =>
  void (disk !== undefined && spawnSync("umount", ["-l", disk]));
afterAll(() => unmount(tried));

describe.skipIf(tried === undefined)("a disk (only where one can be mounted)", () => {
  it("that runs full: the talk goes on, failures are said, and after it has room again nothing is broken", async () => {
    const disk = smallDisk("3m");
    const workspace = join(disk ?? "", "w");
    try {
      const { tidemark, events } = await open(workspace);
      await tidemark.memory.save("The lighthouse is blue.");
      await talk(tidemark, HEARD);
      writeFileSync(join(disk ?? "", "filler"), "");
      const filler = openSync(join(disk ?? "", "filler"), "a");
      for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
        try {
          for (;;) writeSync(filler, Buffer.alloc(size));
        } catch {
          // Full to this measure.
        }
      }
      closeSync(filler);
      for (let turn = 0; turn < 40; turn += 1)
        await talk(tidemark, `${HEARD} ${"wave ".repeat(4_000)} ${turn}`);
      await expect(
        tidemark.memory.save(`The pier is ${"very ".repeat(1_500)}long.`),
      ).rejects.toSatisfy(
        (thrown) => isTidemarkError(thrown) && /full|free some space|ENOSPC/i.test(thrown.message),
      );
      expect(said(events)).toMatch(/The disk is full: free some space/);
      expect((await tidemark.memory.recall("lighthouse"))[0]?.text).toBe("The lighthouse is blue.");
      await tidemark.close().catch((thrown: unknown) => expect(isTidemarkError(thrown)).toBe(true));
      rmSync(join(disk ?? "", "filler"));
      const again = await open(workspace);
      expect(said(again.events)).toBe("");
      await again.tidemark.memory.save("The pier is long.");
      expect((await again.tidemark.memory.list()).map(({ content }) => content).sort()).toEqual([
        "The lighthouse is blue.",
        "The pier is long.",
      ]);
      await talk(again.tidemark, "Once more.");
      await again.tidemark.close();
    } finally {
      unmount(disk);
    }
  });

  it("that is full at the start, or read-only: one error that says so, or a talk that goes on", async () => {
    const disk = smallDisk("3m");
    try {
      const workspace = join(disk ?? "", "w");
      await (await open(workspace)).tidemark.close();
      expect(spawnSync("mount", ["-o", "remount,ro", disk ?? ""]).status).toBe(0);
      expect(await tryToTalk(workspace)).toMatch(/read-only|cannot be written/);
      expect(await tryToTalk(join(disk ?? "", "other"))).toMatch(
        /read-only|cannot be (?:written|made)/,
      );
      spawnSync("mount", ["-o", "remount,rw", disk ?? ""]);
      try {
        writeFileSync(join(disk ?? "", "filler"), Buffer.alloc(4_000_000));
      } catch {
        // Full.
      }
      expect(await tryToTalk(join(disk ?? "", "third"))).toMatch(/disk is full|free some space/);
    } finally {
      unmount(disk);
    }
  });
});
