import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dialectFor } from "../../src/providers/detect.ts";
import type { Format, Message } from "../../src/core/request.ts";
import { type Chance, chance } from "../support/histories-random.ts";
import { HARMLESS } from "../support/histories-rewrites.ts";
import { asReply, countingDistiller, leaveRooms, openRoom, requestOf } from "../support/talk.ts";
import { runs } from "../support/runs.ts";

/** Writes messages of a conversation, each with a tag of its own. */
function writer(format: Format, random: Chance) {
  let tags = 0;
  const text = (): string => `«${tags++}» ${random.text(160)}`;
  const said = (role: string, words: string): Message => ({
    role,
    content: random.maybe(0.5) ? words : [{ type: "text", text: words }],
  });
  return {
    text,
    said,
    asks: (): Message => said("user", text()),
    answers: (): Message => {
      if (format === "openai-chat" || random.maybe(0.5)) return said("assistant", text());
      return {
        role: "assistant",
        content: [
          { type: "thinking", thinking: random.text(40), signature: random.id("sig") },
          { type: "text", text: text() },
        ],
      };
    },
    calls: (): { call: Message; result: Message } => {
      const [id, input, words] = [random.id("call_"), random.input(), [text(), text()]];
      return format === "anthropic"
        ? {
            call: {
              role: "assistant",
              content: [
                { type: "text", text: words[0] },
                { type: "tool_use", id, name: "look", input },
              ],
            },
            result: {
              role: "user",
              content: [{ type: "tool_result", tool_use_id: id, content: words[1] }],
            },
          }
        : {
            call: {
              role: "assistant",
              content: words[0],
              tool_calls: [
                {
                  id,
                  type: "function",
                  function: { name: "look", arguments: JSON.stringify(input) },
                },
              ],
            },
            result: { role: "tool", tool_call_id: id, content: words[1] },
          };
    },
  };
}

const cleared = (message: Message): Message =>
  message.role === "tool"
    ? { ...message, content: "[cleared]" }
    : Array.isArray(message.content)
      ? {
          ...message,
          content: message.content.map((block: Record<string, unknown>) =>
            block.type === "tool_result" ? { ...block, content: "[cleared]" } : block,
          ),
        }
      : message;

const isOwn = (message: Message | undefined): boolean =>
  message?.role === "user" && !JSON.stringify(message.content).includes("tool_result");

/** Everything a caller may do to what it sends, step by step; how many conversations that makes is known beforehand. */
const tagsIn = (said: unknown): string[] => JSON.stringify(said).match(/«\d+»/g) ?? [];

async function run(format: Format, seed: number): Promise<void> {
  const random = chance(seed);
  const write = writer(format, random);
  const { complete, seen } = countingDistiller();
  /** What the model was told, request by request. */
  const read: string[][] = [];
  const distil: typeof complete = async (request) => {
    const reply = await complete(request);
    read.push(seen.splice(0));
    return reply;
  };
  const room = await openRoom({
    distil,
    window: { tokens: 2_600, reserve: 200, patience: 600_000 },
  });
  const dialect = dialectFor({ messages: [] }, format);
  /** The conversations a person goes to and fro between. */
  const lines: { messages: Message[]; from: number }[] = [{ messages: [], from: 0 }];
  let line = lines[0]!;
  let expected = 0;
  const passed: string[] = [];
  const archived = new Set<Message>();
  /** A reply that its caller took back whole is in the archive, and nobody is told of it. */
  const tookBack: string[] = [];
  const rewrites = Object.values(HARMLESS);

  const send = (slides: boolean): Message[] => {
    const { messages } = line;
    if (slides && random.maybe(0.15)) {
      // Slides its window to a place it has confirmed and that leaves a run to know it by.
      const places = messages.flatMap((message, index) =>
        index > line.from && index < messages.length - 6 && isOwn(message) ? [index] : [],
      );
      if (places.length > 0) line.from = random.pick(places);
    }
    let sent = messages.slice(line.from);
    if (random.maybe(0.3))
      sent = sent.map((message, index) => (index < sent.length - 4 ? cleared(message) : message));
    return random.maybe(0.5) ? random.pick(rewrites)(sent) : sent;
  };
  const call = async (reply: Message | undefined, slides = true): Promise<void> => {
    const sent = send(slides);
    const turn = await room.tidemark.begin(requestOf(sent), { format });
    expect(room.events.filter(({ type }) => type === "degraded")).toEqual([]);
    passed.push(...tagsIn(sent));
    if (reply) {
      archived.add(reply);
      await turn.end(asReply(reply, format));
      passed.push(...tagsIn(reply));
    }
    await room.tidemark.idle();
  };
  /** A request without a reply that was archived here is a conversation of its own. */
  const provesNothing = (): boolean =>
    !line.messages.slice(line.from).some((message) => archived.has(message));
  const answered = async ({ slides = true } = {}): Promise<void> => {
    const reply = write.answers();
    await call(reply, slides);
    line.messages.push(reply);
  };

  for (let step = 0; step < 26; step++) {
    const { messages, from } = line;
    if (random.maybe(0.2)) await room.reopen();
    const own = messages.flatMap((message, index) =>
      index > from + 3 && isOwn(message) ? [index] : [],
    );
    const last = own.at(-1) ?? 0;
    // Where another line ends, or waits to be confirmed, whoever leaves this one goes on with that.
    const ends = new Set(
      lines.flatMap((other) =>
        other === line
          ? []
          : [other.messages.at(-1), other.messages[other.messages.findLastIndex(isOwn) - 1]],
      ),
    );
    const leaves = (index: number): boolean => !ends.has(messages[index - 1]);
    const what = random.nat(12);
    if (what === 0 && messages.length > 0) {
      // Regenerates: another reply to the same request.
      messages.pop();
      if (provesNothing()) expected++;
      await answered();
    } else if (what === 1 && own.length > 0 && last === messages.length - 2) {
      // Edits its last message and sends it again.
      messages.splice(last, 2, write.asks());
      if (provesNothing()) expected++;
      await answered();
    } else if (what === 2 && own.slice(0, -1).some(leaves)) {
      // Edits a message further up: what came later goes, or stays in place. The old line is left as it was.
      const at = random.pick(own.slice(0, -1).filter(leaves));
      const stays = random.maybe(0.5) && at < messages.length - 4;
      line = {
        messages: [
          ...messages.slice(0, at),
          write.asks(),
          ...(stays ? [...messages.slice(at + 1), write.asks()] : []),
        ],
        from,
      };
      lines.push(line);
      expected++;
      // Whoever slides past the edited message shows nothing of the edit.
      await answered({ slides: false });
    } else if (what === 3 && messages.length > 1) {
      // The reply was cut, and comes back as far as it came, or not at all.
      const reply = messages.pop()!;
      const words = dialect.text(reply);
      if (random.maybe(0.7) && words.length > 60) {
        const cut = write.said("assistant", `${words.slice(0, 48)} [interrupted]`);
        archived.add(cut);
        messages.push(cut);
      } else tookBack.push(...tagsIn(reply));
      messages.push(write.asks());
      if (provesNothing()) expected++;
      await answered();
    } else if (what === 4) {
      line = random.pick(lines);
      line.messages.push(write.asks());
      if (provesNothing()) expected++;
      await answered();
    } else if (what === 5) {
      line = { messages: [write.asks()], from: 0 };
      lines.push(line);
      expected++;
      await answered();
    } else if (what === 6 && messages.length > 2) {
      // The call fails; the same is sent again.
      messages.push(write.asks());
      await call(undefined);
      await answered();
    } else if (what < 9) {
      messages.push(write.asks());
      if (provesNothing()) expected++;
      for (let round = 1 + random.nat(3); round > 0; round--) {
        const made = write.calls();
        await call(made.call);
        messages.push(made.call, made.result);
      }
      await answered();
    } else {
      messages.push(write.asks());
      if (provesNothing()) expected++;
      await answered();
    }
    expect((await room.tidemark.history.list()).length, `conversations after step ${step}`).toBe(
      expected,
    );
  }

  const listed = await room.tidemark.history.list();
  await room.tidemark.close();
  /** How many conversations have a message: each of them may be told of it once. */
  const lives = new Map<string, number>();
  await room.inspect(async (history) => {
    const kept = new Set<string>();
    const keep = (bodies: readonly { body: Message }[]): void => {
      for (const [tag] of JSON.stringify(bodies).matchAll(/«\d+»/g)) kept.add(tag);
    };
    for (const { id } of listed) {
      keep(await history.bodies(id, 0, Infinity));
      keep(await history.asides(id));
      for (const tag of new Set(
        tagsIn([await history.bodies(id, 0, Infinity), await history.asides(id)]),
      ))
        lives.set(tag, (lives.get(tag) ?? 0) + 1);
      const { watermark, root } = (await history.sessions({ ids: [id] }))[0]!;
      // What came to be shown in full when a note had been distilled in its place is owed.
      const owed = new Set(
        (await history.belongings(root)).jobs.flatMap(({ session, from }) =>
          session === id ? [from] : [],
        ),
      );
      const below =
        JSON.stringify(
          (await history.bodies(id, 0, watermark)).map(({ body }, position) =>
            owed.has(position) ? "" : body,
          ),
        ).match(/«\d+»/g) ?? [];
      const ever = new Set([...tookBack, ...read.flat()]);
      expect(below.filter((tag) => !ever.has(tag))).toEqual([]);
    }
    for (const [tag, { length }] of Map.groupBy(read.flat(), (one) => one))
      expect(length, `conversations told of ${tag}`).toBeLessThanOrEqual(lives.get(tag) ?? 0);
    expect(passed.filter((tag) => !kept.has(tag))).toEqual([]);
  });
}

describe("whatever a caller does", () => {
  it.each<Format>(["anthropic", "openai-chat"])(
    "the number of conversations is what the rule says, all is kept, nothing is distilled twice or skipped (%s)",
    async (format) => {
      await fc.assert(
        fc.asyncProperty(fc.noShrink(fc.nat()), async (seed) => {
          await run(format, seed);
          await leaveRooms();
        }),
        // Seeds that once found something stand first.
        {
          numRuns: runs(5),
          examples: [
            [2_147_483_635],
            [10],
            [15],
            [532_407_702],
            [1_059_711_565],
            [1_472_744_562],
            [33],
          ],
        },
      );
    },
  );
});
