import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { freshFolder } from "../support/afterwards.ts";
import { run } from "../support/cli.ts";
import { chatGptConversation, chatGptExport, writeZip } from "../support/made-exports.ts";
import { builtUrl } from "../support/built.ts";

const MAIN = fileURLToPath(builtUrl("cli/main"));
const counted = async (workspace: string): Promise<{ conversations: number; messages: number }> =>
  JSON.parse((await run(["stats", "--json", "--workspace", workspace])).out) as {
    conversations: number;
    messages: number;
  };

describe("an import of a large export", () => {
  it("goes on where it was killed", async () => {
    const [home, workspace] = [freshFolder(), freshFolder()];
    const zip = join(home, "export.zip");
    await writeZip(zip, "conversations.json", chatGptExport(3_500_000));
    const args = [MAIN, "import", zip, "--workspace", workspace];
    const first = spawn(process.execPath, args);
    first.stderr.setEncoding("utf8").on("data", (said: string) => {
      if (/\d\d conversations read/.test(said)) first.kill("SIGKILL");
    });
    await new Promise((resolve) => first.on("close", resolve));
    const killed = await counted(workspace);
    expect(killed.conversations).toBeGreaterThan(9);
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(status).toBe(0);
    const [, all = "", fresh = ""] =
      /(\d+) conversations with (\d+) new messages/.exec(stdout) ?? [];
    expect(await counted(workspace)).toMatchObject({
      conversations: Number(all),
      messages: Number(all) * 30,
    });
    expect(Number(fresh) + killed.messages).toBe(Number(all) * 30);
  });

  const PROGRESS = /^tidemark: \d+ conversations read …\n/gm;
  const small = freshFolder();
  const mount = (...options: string[]): boolean =>
    spawnSync("mount", ["-t", "tmpfs", "-o", options.join(","), "none", small]).status === 0;
  const mounts = process.platform === "linux" && process.getuid?.() === 0 && mount("size=3m");
  if (mounts) spawnSync("umount", ["-l", small]);

  it.skipIf(!mounts)("that fills the disk says so, and goes on when there is room", async () => {
    mkdirSync(small, { recursive: true });
    mount("size=4m");
    try {
      const path = join(freshFolder(), "conversations.json");
      const all = Array.from({ length: 200 }, (_, nth) => chatGptConversation(nth, 10, 120));
      writeFileSync(path, JSON.stringify(all));
      const args = ["import", path, "--workspace", join(small, "workspace"), "--no-learn"];
      const { code, err } = await run(args);
      expect(code).toBe(1);
      // A slow machine tells how far it is.
      const told = err.replace(PROGRESS, "");
      expect(told).toMatch(
        /^tidemark: [^\n]*\d+ conversations came in before that: mend it[^\n]*\n$/,
      );
      mount("remount", "size=64m");
      const again = await run(args);
      expect(again.code).toBe(0);
      expect(again.err.replace(PROGRESS, "")).toBe("");
      expect(await counted(join(small, "workspace"))).toMatchObject({
        ...{ conversations: 200, messages: 2_000 },
      });
    } finally {
      spawnSync("umount", ["-l", small]);
    }
  });
});
