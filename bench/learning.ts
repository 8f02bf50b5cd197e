// Does the next task of a kind know what the last one ran into? 200 tasks of 20 families, each family with a trap, among
// 1,000 other memories; the agent is a script that falls into every trap its brief does not name. Once without a model, and once
// with one, a script too, that makes a procedure of each failure it is told of.
//   npm run bench -- learning
import { type Complete, openTidemark } from "../src/index.ts";
import { record, round } from "./support.ts";

/** What a family works on, what it does with it in ten wordings, and what goes wrong without the cure. */
const FAMILIES = [
  ["billing service", "deploy", "its migration lock is still held", "bin/unlock billing"],
  ["search cluster", "upgrade", "shard allocation is enabled", "allocation off"],
  ["mail relay", "rotate the keys of", "the old DKIM selector is cached", "a new selector name"],
  ["invoice export", "run", "amounts are read with a decimal comma", "LC_NUMERIC=C"],
  ["iOS build", "release", "the provisioning profile has expired", "match nuke"],
  ["warehouse sync", "restart", "two workers hold one cursor", "a single worker"],
  ["login page", "translate", "keys are sorted by the bundler", "stable ids"],
  ["thumbnail job", "resize images in", "EXIF rotation is dropped", "auto-orient"],
  ["audit log", "archive", "the bucket refuses unversioned writes", "object lock"],
  ["payroll import", "test", "the sandbox has yesterday's clock", "a frozen date"],
  ["map tiles", "render", "the font cache is read-only", "XDG_CACHE_HOME"],
  ["chat gateway", "load test", "the proxy drops idle sockets", "keep-alive of 20 s"],
  ["report mailer", "schedule", "cron runs in local time", "TZ=UTC"],
  ["vector index", "rebuild", "the segment is too large to merge", "smaller segments"],
  ["feature flags", "clean up", "a stale flag is read at boot", "the boot list"],
  ["partner API", "call", "pages start at one", "page=1"],
  ["data lake", "partition", "small files slow the planner", "compaction"],
  ["camera firmware", "flash", "the loader wants an even length", "padding"],
  ["help centre", "publish", "links are checked before the redirect", "the redirect map"],
  ["stock ticker", "replay", "ticks carry exchange time", "exchange time"],
] as const;
const WAYS = [
  "for the Monday release",
  "on the staging machines",
  "again, as Ada asked",
  "for the new customer",
  "after last night's incident",
  "before the audit",
  "in the Frankfurt region",
  "with the new runner",
  "as part of the spring cleaning",
  "for the demo on Thursday",
];
const OTHERS = 1_000;
const SUBJECTS = [
  "printer",
  "kitchen",
  "garden door",
  "meeting room",
  "parking lot",
  "lift",
  "badge",
  "projector",
];
const TRAITS = [
  "is on floor",
  "was painted in",
  "is looked after by team",
  "has the number",
  "closes at",
  "was moved to",
];

/** Makes of a failed task what its error says; of a conversation it remembers nothing. */
const proposer: Complete = async ({ messages }) => {
  const asked = JSON.stringify(messages.at(-1));
  const [, trap, cure] = /Error: (.+?); it needs (.+?)\./.exec(asked) ?? [];
  const [, task] = /Please (.+?)\./.exec(asked) ?? [];
  return {
    text: JSON.stringify(
      trap === undefined || !asked.includes('\\"discovery\\"')
        ? { facts: [], summary: "A task." }
        : {
            ...{ discovery: `It fails where ${trap}.`, condition: `before you ${task}` },
            ...{ action: `See to ${cure}.`, rationale: "It did so before.", steps: [] },
            ...{ confidence: 0.8, tags: [] },
          },
    ),
    stop: "end_turn",
  };
};

async function learning(distil: "extractive" | Complete) {
  const tidemark = await openTidemark({ workspace: false, listen: false, distil });
  for (let at = 0; at < OTHERS; at += 1)
    await tidemark.memory.save(
      `The ${SUBJECTS[at % SUBJECTS.length]} of building ${at} ${TRAITS[at % TRAITS.length]} ${(at * 7) % 97}.`,
    );
  let [next, known, foreign, tasks] = [0, 0, 0, 0];
  const failures: number[] = [];
  for (const [round_, way] of WAYS.entries())
    for (const [family, [thing, act, trap, cure]] of FAMILIES.entries()) {
      tasks += 1;
      const task = await tidemark.task({ description: `Please ${act} the ${thing} ${way}.` });
      const { text } = task.brief;
      const isKnown = text.includes(trap);
      if (round_ > 0) {
        next += 1;
        known += isKnown ? 1 : 0;
        foreign +=
          FAMILIES.filter(([, , other], at) => at !== family && text.includes(other)).length /
          (FAMILIES.length - 1);
      }
      if (isKnown) await task.done(`I did it with ${cure}, since ${trap}.`);
      else {
        failures.push(tasks);
        await task.failed(new Error(`Error: ${trap}; it needs ${cure}.`));
        await tidemark.idle();
      }
    }
  const procedures = await tidemark.memory.list({ limit: 5_000, kind: "procedure" });
  const before = (await tidemark.memory.list({ limit: 5_000 })).length;
  for (let at = 0; at < 100; at += 1) {
    const task = await tidemark.task({ description: "Check the nightly backups.", repeat: true });
    if (at % 10 === 9) await task.failed(new Error(`Error: tape ${at} could not be read.`));
    else await task.done("All twelve are whole.");
  }
  const after = (await tidemark.memory.list({ limit: 5_000 })).length;
  await tidemark.close();
  return {
    tasks,
    "the family's lesson in the next brief, %": round((100 * known) / next),
    "another family's lesson in a brief, %": round((100 * foreign) / next),
    "failures in the first hundred": failures.filter((at) => at <= 100).length,
    "failures in the second hundred": failures.filter((at) => at > 100).length,
    "procedures made": procedures.length,
    "memories after a task repeated 100 times": after - before,
  };
}

record("learning", {
  "without a model": await learning("extractive"),
  "with a model": await learning(proposer),
});
