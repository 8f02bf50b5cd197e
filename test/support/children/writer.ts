// One of several processes on one workspace: saves, updates a shared key, remembers in MEMORY.md, forgets some of its own.
import { openTidemark } from "../../../src/index.ts";

const [workspace = "", name = "", rounds = "10"] = process.argv.slice(2);
const tidemark = await openTidemark({ workspace });
const failures: string[] = [];
for (let round = 0; round < Number(rounds); round += 1) {
  try {
    await tidemark.memory.save(`Process ${name} was here in round ${round}.`);
    await tidemark.memory.save({
      content: `The counter stands at ${name} ${round}.`,
      key: "counter",
    });
    await tidemark.memory.save("All of them say this.");
    const gone = await tidemark.memory.save(`Forget ${name} ${round} Quisquilia.`);
    await tidemark.memory.forget(gone.id);
    await tidemark.memory.recall("who was here?");
  } catch (thrown) {
    failures.push(String(thrown));
  }
}
await tidemark.close();
console.log(JSON.stringify({ failures }));
