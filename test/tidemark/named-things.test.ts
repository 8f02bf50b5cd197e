import { expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";

const SMALL_TALK = Array.from({ length: 30 }, (_, at) => [
  { role: "user", text: `How is the weather on the ${at}th floor of the tower today?` },
  { role: "assistant", text: `Mild, with a breeze from the ${at % 2 === 0 ? "sea" : "hills"}.` },
]).flat();

it("a question that names a thing by two words, as one turn does, is given that turn; one that shares them apart is not", async () => {
  const tidemark = await openTidemark({ workspace: false, recall: {}, listen: false });
  await tidemark.history.import({
    id: "earlier",
    messages: [
      ...SMALL_TALK,
      { role: "user", text: "I just measured the scarlet hostel for the painters." },
      { role: "assistant", text: "Got it, thanks." },
    ],
  });
  const sent = async (content: string): Promise<string> => {
    const request = { model: "m", max_tokens: 100, messages: [{ role: "user", content }] };
    return JSON.stringify((await tidemark.begin(request)).request);
  };
  expect(
    await sent("What should the mason repaint when the scarlet hostel is renovated?"),
  ).toContain("just measured");
  expect(
    await sent("Should the mason repaint a hostel that is renovated, in grey or scarlet?"),
  ).not.toContain("just measured");
  await tidemark.close();
});
