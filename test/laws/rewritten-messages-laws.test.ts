import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import { type Chance, chance } from "../support/histories-random.ts";
import { assistant, call, leaveRooms, openRoom, result, tell, user } from "../support/talk.ts";

interface Block {
  readonly type: string;
  readonly [name: string]: unknown;
}
type Rewrite = (block: Block, tag: () => string) => Block | readonly Block[];

/** What callers do to messages they have sent before. Blocks of other kinds stay as they are. */
const REWRITES: Readonly<Record<string, readonly Rewrite[]>> = {
  tool_result: [
    (block, tag) => ({ ...block, content: `${tag()} came in at last` }),
    (block, tag) => ({ ...block, content: `${String(block.content)} ${tag()}`, is_error: true }),
    (block) => ({ ...block, content: "[Old tool result content cleared]" }),
    (block) => ({ ...block, content: String(block.content).slice(0, 24) }),
    (block) => ({ ...block, content: [] }),
  ],
  tool_use: [
    (block, tag) => ({ ...block, input: { path: tag() } }),
    (block) => ({ ...block, input: {} }),
  ],
  text: [
    (block, tag) => ({ ...block, text: `${tag()} in other words` }),
    (block, tag) => [
      block,
      { type: "image", source: { type: "base64", media_type: "image/png", data: tag() } },
    ],
  ],
};

const blocks = ({ content }: Message): readonly Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content as readonly Block[]);

function rewritten(message: Message, random: Chance, tag: () => string): Message {
  return {
    ...message,
    content: blocks(message).flatMap((block) =>
      random.pick(REWRITES[block.type] ?? [(same: Block) => same])(block, tag),
    ),
  };
}

/** Plays a conversation whose caller rewrites what it has sent; answers the tags of all its requests, and of all that can be read. */
async function played(
  seed: number,
): Promise<{ sent: Set<string>; read: Set<string>; found: boolean }> {
  const random = chance(seed);
  const room = await openRoom({ window: { tokens: 2_400, patience: 0 } });
  let tags = 0;
  const tag = (): string => `tag${tags++}x`;
  const line: Message[] = [];
  const sent = new Set<string>();
  const tagsIn = (value: unknown): string[] => JSON.stringify(value).match(/tag\d+x/g) ?? [];
  const say = async (reply: Message): Promise<void> => {
    for (const one of tagsIn(line)) sent.add(one);
    await tell(room.tidemark, line, reply);
    line.push(reply);
    await room.tidemark.idle();
  };
  for (let turn = 0; turn < 14; turn++) {
    if (random.maybe(0.2)) await room.reopen();
    line.push(
      user([
        {
          type: "text",
          text: `${tag()} where does it stand? ${"It rains on the crates. ".repeat(10)}`,
        },
      ]),
    );
    await say(call(`c${turn}`, "look", { path: tag() }));
    line.push(
      result(`c${turn}`, `${tag()} lies on the quay. ${"The scales are wet. ".repeat(10)}`),
    );
    await say(assistant(`${tag()} stands in the shed. ${"It stays there. ".repeat(10)}`));
    for (let times = random.nat(3); times > 0; times--) {
      const at = random.nat(line.length);
      const message = line[at];
      if (message) line[at] = rewritten(message, random, tag);
    }
  }
  const { history, memory } = room.tidemark;
  const all = await Promise.all(
    (await history.list()).map(({ id }) => history.read({ conversation: id })),
  );
  const some = [...sent].at(random.nat(sent.size)) ?? "";
  const hits = await memory.search(some, { in: ["history"] });
  const spoken = all.flatMap(({ messages, earlier = [] }) => [
    ...messages,
    ...earlier.map(({ message }) => message),
  ]);
  const isSaid = spoken.some((message) =>
    blocks(message).some(
      ({ type, text, content }) =>
        ["text", "tool_result"].includes(type) &&
        `${String(text)}${String(content)}`.includes(some),
    ),
  );
  await leaveRooms();
  return {
    sent,
    read: new Set(tagsIn(all)),
    found: !isSaid || JSON.stringify(hits).includes(some),
  };
}

describe("whatever a caller does to messages it has sent before", () => {
  it("what stood in any request can be read, and what was said or answered is found", async () => {
    await fc.assert(
      fc.asyncProperty(fc.noShrink(fc.nat()), async (seed) => {
        const { sent, read, found } = await played(seed);
        expect([...sent].filter((tag) => !read.has(tag))).toEqual([]);
        expect(found).toBe(true);
      }),
      { numRuns: 4 },
    );
  });
});
