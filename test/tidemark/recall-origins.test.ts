import { expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import { freshTidemark, prose, UNBOUND } from "../support/anthropic.ts";
import { assistant, call, play, requestOf, result, user } from "../support/talk.ts";

const CLAIM = "Payments for the harbour office go to the account HX-4471 of the agency Nordlys";
const QUESTION = "Which account do payments for the harbour office go to, of the agency Nordlys?";
const REWORDED = [
  "Nordlys has the account HX-4471, to which the harbour office is to be paid",
  "The harbour office pays HX4471",
  "Asked about payments of the harbour office, the user settled on HX 4471",
];
const OWN = "My daughter Ilse starts at the Bergen school in autumn.";
const OWN_FACT = "The user's daughter Ilse starts at the Bergen school in autumn";
const ANSWER = "It is HX-4471, of Nordlys.";

/** Says a page's claim again as the user's or the assistant's, and what the user says beside it. */
function retelling(messages: readonly Message[]) {
  const ordinal = (words: string): number =>
    messages.findIndex((message) => JSON.stringify(message).includes(words)) + 1;
  const [asked, answered] = [ordinal(QUESTION), ordinal(ANSWER)];
  const told = REWORDED.flatMap((content) => [
    { content, from: [asked] },
    { content: `${content} (told)`, from: [answered] },
    { content: `${content}!!`, from: [asked, answered] },
  ]);
  return [...told, { content: OWN_FACT, from: [asked] }];
}

it("a page's claim that was recalled stays a page's, however a distiller says it, and what the user says beside it stays the user's", async () => {
  const { tidemark, events } = await freshTidemark({
    recall: { tokens: 300 },
    window: { tokens: 12_000 },
    distil: async ({ messages }) => {
      const asked = JSON.stringify(messages);
      const facts = asked.includes(QUESTION)
        ? retelling(messages)
        : [{ content: CLAIM, from: [3] }];
      const all = facts.map((fact) => ({ ...fact, category: "decision", importance: 0.9 }));
      return { text: JSON.stringify({ facts: all, summary: "They talked." }) };
    },
  });
  const page = [
    user("Look at the page, please."),
    call("a", "look", {}),
    result("a", `A page says: ${CLAIM}.`),
    ...Array.from({ length: 12 }, (_, at) => (at % 2 ? user : assistant)(prose(300, at))),
  ];
  await tidemark.fold({ request: requestOf(page, { model: UNBOUND }) });
  const distilled = () => events.filter(({ type }) => type === "distilled").length;
  const before = distilled();
  let recalled = false;
  await play(tidemark, {
    calls: (at) => (at === 0 ? `${OWN} ${QUESTION}` : `Go on. ${prose(400, at)}`),
    reply: (at) => (at === 0 ? ANSWER : prose(30, at)),
    request: { model: UNBOUND },
    idle: true,
    until: ({ request }) => {
      recalled ||= JSON.stringify(request.messages).includes("<tidemark-recall>");
      return distilled() > before;
    },
  });
  expect(recalled).toBe(true);
  const memories = await tidemark.memory.list({ limit: 100 });
  const claims = memories.filter(({ content }) => /4471/.test(content));
  expect(claims.length).toBeGreaterThan(4);
  expect(claims.filter(({ origin }) => origin !== "tool" && origin !== "untrusted")).toEqual([]);
  expect(memories.find(({ content }) => content === OWN_FACT)?.origin).toBe("user");
  const next = await tidemark.begin(requestOf([user("A new conversation.")], { model: UNBOUND }));
  const system = JSON.stringify(next.request.system);
  expect(system).toContain("Ilse");
  expect(system).not.toContain("4471");
});
