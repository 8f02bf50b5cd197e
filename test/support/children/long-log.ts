// A process that writes more than fits into a short log, and tells what became of it: one line of JSON a commit, then one at the end.
import { patiently } from "../../../src/store/sqlite/busy.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { logOf } from "../../../src/store/sqlite/checkpointer.ts";

const [path = "", how = "", commits = "40"] = process.argv.slice(2);
let begun = 0;
process.on("worker", (worker) => {
  begun += 1;
  if (how === "killed") void worker.terminate();
});
const STEPS = [["1", "create table if not exists t (id integer primary key, x blob)"]] as const;
const database = await patiently(() => openDatabase(path, STEPS, "store"));
const log = logOf(database, path);
const put = database.prepare("insert into t (x) values (zeroblob(400000))");
const own = (): unknown => database.pragma("wal_autocheckpoint", { simple: true });
for (let at = 0; at < Number(commits); at += 1) {
  await patiently(() => log.written(() => put.run()));
  console.log(JSON.stringify({ rows: at + 1 }));
  await new Promise((go) => setImmediate(go));
}
// What becomes of a thread is heard within any number of turns of the loop.
if (how === "killed" || how === "refused")
  while (own() !== 500) await new Promise((go) => setTimeout(go, 5));
const end = own();
if (how === "left") await log.written(() => put.run());
else if (how !== "unclosed") await log.close();
console.log(JSON.stringify({ begun, own: end, resources: process.getActiveResourcesInfo() }));
