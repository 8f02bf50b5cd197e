// An import on a disk that runs full at each of its writes: it is refused with what to do, and once there is room the same
// import brings all there is, each conversation once.
import { atWrites, onFullDisk } from "./on-full-disks.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTidemark } from "../../../src/index.ts";
import { executeHere } from "../cli-here.ts";

const home = mkdtempSync(join(tmpdir(), "tidemark-full-import-"));
const said = (role: string, words: string) => ({
  message: { author: { role }, content: { content_type: "text", parts: [words] } },
});
const conversation = (id: string): object => ({
  ...{ title: id, conversation_id: id, current_node: "a" },
  mapping: {
    u: { id: "u", parent: null, ...said("user", `I moor at pier ${id}.`) },
    a: { id: "a", parent: "u", ...said("assistant", "Noted.") },
  },
});
const file = join(home, "conversations.json");
writeFileSync(file, JSON.stringify(["1", "2", "3"].map(conversation)));

await atWrites(
  ["import"],
  async (_, from) => {
    const workspace = join(home, `w${from}`);
    const imported = () => executeHere(["import", file, "--workspace", workspace]);
    let err = "";
    const { writes, refused } = await onFullDisk(from, async () => {
      const done = await imported();
      err = done.err;
      if (done.code !== 0) throw new Error(err);
    });
    const again = await imported();
    const tidemark = await openTidemark({ workspace, distil: "extractive" });
    const list = await tidemark.history.list();
    await tidemark.close();
    rmSync(workspace, { recursive: true, force: true });
    const found = list.map(({ label, messages }) => `${label}:${messages}`).sort();
    const broken = [
      ...(again.code === 0 && found.join() === "1:2,2:2,3:2" ? [] : [`${again.err}${found}`]),
      ...(!refused || /The disk is full: free some space/.test(err) ? [] : [err]),
    ];
    return { writes, refused, broken };
  },
  3,
);
rmSync(home, { recursive: true, force: true });
