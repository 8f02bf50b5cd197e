// An import on a disk that runs full at each of its writes: it is refused with what to do, and once there is room the same
// import brings all there is, each conversation once. Prints what was broken, and how much was tried.
import { fillDisk } from "../../../drill/boundaries.ts";
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

/** One import on a disk that is full from the n-th write on, and once more with room. */
async function tried(
  from: number,
): Promise<{ writes: number; refused: boolean; broken: string[] }> {
  const workspace = join(home, `w${from}`);
  const imported = () => executeHere(["import", file, "--workspace", workspace]);
  fillDisk(from);
  const { code, err } = await imported();
  const writes = fillDisk(0);
  const again = await imported();
  const tidemark = await openTidemark({ workspace, distil: "extractive" });
  const list = await tidemark.history.list();
  await tidemark.close();
  rmSync(workspace, { recursive: true, force: true });
  const found = list.map(({ label, messages }) => `${label}:${messages}`).sort();
  const broken = [
    ...(again.code === 0 && found.join() === "1:2,2:2,3:2" ? [] : [`${again.err}${found}`]),
    ...(code === 0 || /The disk is full: free some space/.test(err) ? [] : [err]),
  ].map((what) => `import, full from write ${from}: ${what}`);
  return { writes, refused: code !== 0, broken };
}

const { writes, broken } = await tried(0);
let refusals = 0;
for (let from = 1; from <= writes; from += 1) {
  const one = await tried(from);
  broken.push(...one.broken);
  if (one.refused) refusals += 1;
}
rmSync(home, { recursive: true, force: true });
console.log(JSON.stringify({ broken, counts: { import: [refusals, writes] } }));
