import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Tidemark } from "../../../src/index.ts";
import {
  clientOf,
  freshFolder,
  freshServer,
  freshTidemark,
  loopOf,
  MODEL,
  setUp,
  spoken,
  systemText,
  textOf,
} from "../../support/anthropic.ts";
import type { Json } from "../../support/messages-server/index.ts";

/** A model that knows what it was sent, and nothing else. */
const reply = (request: Json): string => {
  const told = `${systemText(request)}\n${JSON.stringify(request.messages)}`;
  const name = /cat's name is (\p{Lu}\p{L}+)/u.exec(told)?.[1];
  const asks = JSON.stringify((request.messages as unknown[]).at(-1)).includes(
    "What is my cat called?",
  );
  return asks
    ? name === undefined
      ? "You have not told me."
      : `Your cat is called ${name}.`
    : "A fine name.";
};

/** Every way a Tidemark can be asked; what it answers, as one text. */
async function everything(tidemark: Tidemark): Promise<string> {
  const query = "what is the name of the cat, Whiskerino?";
  const history = await tidemark.history.list();
  return JSON.stringify([
    await tidemark.memory.recall(query),
    await tidemark.memory.search(query, { limit: 50 }),
    await tidemark.memory.search("Whiskerino", { in: ["files"] }),
    await tidemark.memory.search("Whiskerino", { in: ["history"] }),
    await tidemark.memory.list(),
    history,
    await tidemark.stats(),
    await Promise.all(history.map(({ id }) => tidemark.history.read({ conversation: id }))),
  ]);
}

function textsUnder(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (file) => file.isFile() && file.name.endsWith(".md"),
  );
  return new Map(
    files.map((file) => [
      join(file.parentPath, file.name),
      readFileSync(join(file.parentPath, file.name), "utf8"),
    ]),
  );
}

describe("a new conversation after a reset", () => {
  it("of another user learns nothing of it: not in the prompt, recall, search, files or history", async () => {
    const server = await freshServer({ reply });
    const workspace = freshFolder();
    const { tidemark } = await freshTidemark({ workspace, identity: { user: "ada" } });
    const client = clientOf(server, tidemark, {
      adapter: {
        identity: ({ metadata }) => ({ user: (metadata as { user_id: string }).user_id }),
      },
    });
    const ada = loopOf(client, {
      metadata: { user_id: "ada" },
      tools: [{ name: "vet", input_schema: { type: "object" } }],
    });
    await ada.say("Good morning! My cat's name is Whiskerino.");
    await ada.say("No, that is wrong: Whiskerino is a cat, not a dog.");
    // A failed call is remembered too, with what the tool said.
    ada.messages.push(
      { role: "user", content: "Ask the vet." },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "toolu_1", name: "vet", input: { patient: "Whiskerino" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            is_error: true,
            content: "Error: no patient Whiskerino in the register",
          },
        ],
      },
    );
    await client.messages.create({
      model: MODEL,
      max_tokens: 500,
      metadata: { user_id: "ada" },
      tools: [{ name: "vet", input_schema: { type: "object" } }],
      messages: ada.messages as never,
    });
    await tidemark.idle();
    expect(await everything(tidemark)).toContain("Whiskerino");

    const asBob = async (who: typeof client) => {
      const bob = loopOf(who, { metadata: { user_id: "bob" } });
      expect(textOf(await bob.say("What is my cat called?"))).toBe("You have not told me.");
      expect(JSON.stringify(spoken(server).at(-1)!.body)).not.toContain("Whiskerino");
    };
    await asBob(client);
    expect(
      (await everything(tidemark.as({ user: "bob" }))).replaceAll(/"query":"[^"]*"/g, ""),
    ).not.toContain("Whiskerino");
    const [session] = await tidemark.history.list();
    expect(
      (
        await tidemark
          .as({ user: "bob" })
          .history.read({ conversation: session!.id })
          .catch(() => ({ messages: [] }))
      ).messages,
    ).toEqual([]);
    expect((await tidemark.as({ user: "bob" }).stats()).conversations).toBe(1);

    await tidemark.close();
    const again = await freshTidemark({ workspace, identity: { user: "bob" } });
    await asBob(clientOf(server, again.tidemark));
    expect(await everything(again.tidemark)).not.toContain("Whiskerino");
    await again.tidemark.close();
    for (const [path, text] of textsUnder(workspace))
      if (text.includes("Whiskerino")) expect(path).toContain(join("scopes", "user", "ada"));
  });
});

it("nothing of it stands in the system text with inject: false", async () => {
  const { server, client, tidemark } = await setUp({ inject: false });
  await tidemark.memory.save("The harbour master is called Zephyrine.");
  await loopOf(client, { system: "Be kind." }).say("Hello.");
  expect(server.requests[0]!.body.system).toBe("Be kind.");
});
