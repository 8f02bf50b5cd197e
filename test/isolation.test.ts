import fc from "fast-check";
import { join } from "node:path";
import { expect, it } from "vitest";
import { play, SECRET, step, type Step } from "./support/isolation.ts";
import { freshFolder } from "./support/workspace.ts";

const withoutTheQuestion = (text: string): string => text.replaceAll(new RegExp(`about [\\\\]*"${SECRET}[\\\\]*"`, "g"), "");

async function compare(steps: readonly Step[]): Promise<void> {
  const folder = freshFolder();
  const among = await play(steps, { root: join(folder, "among"), alone: false });
  const alone = await play(steps, { root: join(folder, "alone"), alone: true });
  for (const [at, text] of among.said.entries()) {
    const other = alone.said[at] ?? "";
    let same = 0;
    while (same < text.length && text[same] === other[same]) same += 1;
    if (text !== other) expect(text.slice(Math.max(0, same - 300), same + 200), `answer ${at}`).toBe(other.slice(Math.max(0, same - 300), same + 200));
  }
  expect(among.said).toHaveLength(alone.said.length);
  for (const text of among.said) expect(withoutTheQuestion(text)).not.toContain(SECRET);
}

it("every answer is the same, byte for byte, in a world where the others never acted", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), compare), { numRuns: 10, endOnFailure: true });
});
