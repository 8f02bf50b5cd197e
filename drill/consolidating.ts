// A night over memories that say the like, in a process that is killed at one of its writes.
import { openTidemark } from "../src/index.ts";
import { droppingModel } from "../bench/support/consolidate-world.ts";

const { workspace, clock, by } = JSON.parse(process.argv[2] ?? "{}") as {
  workspace: string;
  clock: number;
  by: "rules" | "model";
};
const model = by === "model" ? { model: droppingModel().model as never } : {};
const tidemark = await openTidemark({
  ...{ workspace, distil: "extractive", listen: false, now: () => clock },
  consolidate: { every: "never", ...model },
});
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
await tidemark.tidy();
await tidemark.close();
