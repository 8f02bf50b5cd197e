import { describe, expect, it } from "vitest";
import { openTidemark } from "../../../src/index.ts";
import { postgresStorage } from "../../../src/storage/postgres/postgres-storage.ts";
import type { Server } from "../../../src/storage/postgres/sql.ts";
import { toyEmbedder } from "../../support/embedder.ts";
import { pglite } from "../../support/pglite.ts";
import { assistant, user } from "../../support/talk.ts";

/** Counts what goes to the server; every process is heard, so that nothing is looked at again. */
function counted({ send, close }: Server) {
  const sent: string[] = [];
  const server: Server = {
    send: (text, values) => {
      sent.push(text);
      return send(text, values);
    },
    close,
    peers: { tell: () => undefined, hear: () => () => true },
  };
  const trips = async (work: () => Promise<unknown>): Promise<number> => {
    sent.length = 0;
    await work();
    return sent.length;
  };
  return { server, trips, sent };
}

const { server: own, schema } = pglite();

describe("trips to PostgreSQL", () => {
  it("are one for a begin and one for an end below the marks, and few for what is asked", async () => {
    const { server, trips } = counted(own);
    const tidemark = await openTidemark({
      store: await postgresStorage(server, schema()),
      distil: "extractive",
      recall: false,
      listen: false,
    });
    const messages = [user("Which tea do we have?")];
    const figures: number[][] = [];
    for (const words of ["Green tea.", "Black tea.", "White tea."]) {
      await tidemark.idle();
      let turn: Awaited<ReturnType<typeof tidemark.begin>>;
      const begun = await trips(async () => {
        turn = await tidemark.begin({ model: "claude-sonnet-4-5", max_tokens: 9, messages });
      });
      const ended = await trips(() =>
        turn.end({ role: "assistant", content: [{ type: "text", text: words }] }),
      );
      figures.push([begun, ended]);
      messages.push(assistant(words), user(`And besides ${words}?`));
    }
    await tidemark.idle();
    const save = (): Promise<unknown> =>
      tidemark.memory.save(`Ada drinks tea of ${figures.length}`);
    const rest = {
      save: await trips(save),
      recall: await trips(() => tidemark.memory.recall("tea")),
    };
    await tidemark.close();
    expect({ figures: figures.slice(1), ...rest }).toEqual({
      figures: [
        [1, 1],
        [1, 1],
      ],
      ...{ save: 2, recall: 3 },
    });
  });

  it("are few for thirty saves at once, and a begin that recalls waits for one and four", async () => {
    const { server, trips } = counted(own);
    const events: string[] = [];
    let left = Infinity;
    const held: (() => void)[] = [];
    const holding: Server = {
      ...server,
      send: async (...asked) => {
        left -= 1;
        if (left < 0) await new Promise<void>((resolve) => held.push(resolve));
        return server.send(...asked);
      },
    };
    const tidemark = await openTidemark({
      store: await postgresStorage(holding, schema()),
      ...{ distil: "extractive", listen: ({ type }) => events.push(type) },
    });
    const boats = Array.from({ length: 30 }, (_, nth) => `Wren ${nth} lies at pier ${nth}`);
    await tidemark.idle();
    const saves = await trips(() =>
      Promise.all(boats.map((boat) => tidemark.memory.save(boat))).then((kept) =>
        expect(kept.map(({ content }) => content)).toEqual(boats),
      ),
    );
    const messages = [user("Where does Wren 3 lie?")];
    for (const words of ["At pier 3.", "At pier 4.", "At pier 5."]) {
      await tidemark.idle();
      // The first looks at the pages as well.
      left = messages.length > 1 ? 5 : Infinity;
      const request = { model: "claude-sonnet-4-5", max_tokens: 9, messages };
      const turn = await tidemark.begin(request);
      left = Infinity;
      for (const go of held.splice(0)) go();
      expect(events.splice(0)).toContain("recalled");
      await turn.end({ role: "assistant", content: [{ type: "text", text: words }] });
      messages.push(assistant(words), user(`And Wren ${words.length + messages.length}?`));
    }
    await tidemark.idle();
    const closing = await trips(() => tidemark.close());
    // To close distils what was said.
    const isFew = { saves: saves <= 8, closing: closing <= 10 };
    expect(isFew, `${saves}, ${closing}`).toEqual({ saves: true, closing: true });
  });

  it("are few by meaning as well, once what the question's vector cost is written", async () => {
    const { server, trips } = counted(own);
    const tidemark = await openTidemark({
      ...{ store: await postgresStorage(server, schema()), embed: toyEmbedder() },
      ...{ distil: "extractive", listen: false },
    });
    for (let cups = 0; cups < 30; cups += 1)
      await tidemark.memory.save(`Ada drank ${cups} cups of tea with her kitten`);
    const said = [{ role: "user", text: "I drink tea with a kitten" }];
    await tidemark.history.import({ id: "tea", messages: said });
    const question = "Which tea for the cat?";
    await tidemark.memory.search(question);
    await tidemark.idle();
    const recall = await trips(() => tidemark.memory.recall(question));
    const search = await trips(() => tidemark.memory.search(question));
    await tidemark.close();
    expect({ recall: recall <= 4, search: search <= 9 }, `${recall}, ${search}`).toEqual({
      ...{ recall: true, search: true },
    });
  });

  it("are few for thirty facts of one answer, and for a fold", async () => {
    const { server, trips, sent } = counted(own);
    const facts = Array.from({ length: 30 }, (_, nth) => ({
      ...{ content: `Ada's boat ${nth} is called Wren ${nth} and lies at pier ${nth}`, from: [1] },
      ...{ kind: "fact", supersedes: `boat-${nth}` },
    }));
    let saved = 0;
    const tidemark = await openTidemark({
      ...{ store: await postgresStorage(server, schema()), window: { tokens: 6_000 } },
      distil: async () => {
        sent.length = 0;
        return { text: JSON.stringify({ facts, summary: "They talked of boats." }) } as never;
      },
      listen: ({ type }) => void (saved ||= type === "distilled" ? sent.length : 0),
      recall: false,
    });
    const messages = [user("Tell me of Ada's boats.")];
    let folding = 0;
    for (let boat = 0; folding === 0; boat += 1) {
      const words = `Ada's boat ${boat} is called Wren ${boat} and lies at pier ${boat}. `.repeat(
        25,
      );
      const begun = await trips(async () => {
        const turn = await tidemark.begin({ model: "claude-sonnet-4-5", max_tokens: 9, messages });
        if (turn.folded) folding = sent.length;
        await turn.end({ role: "assistant", content: [{ type: "text", text: words }] });
      });
      await tidemark.idle();
      expect(begun).toBeLessThan(30);
      messages.push(assistant(words), user(`And besides ${boat}?`));
    }
    const { memories } = await tidemark.stats();
    await tidemark.close();
    // Five tell what the answer cost, and that there is room for another work.
    const isFew = { saved: saved <= 8 + 5, folding: folding <= 8 };
    expect({ memories, ...isFew }, `${saved}, ${folding}`).toEqual({
      ...{ memories: 30, saved: true, folding: true },
    });
  });
});
