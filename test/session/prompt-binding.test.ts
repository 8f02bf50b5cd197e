import type Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message, ProviderRequest } from "../../src/core/request.ts";
import { prefixOf } from "../../src/session/assemble-request.ts";
import {
  clientOf,
  freshServer,
  freshTidemark,
  MODEL,
  prose,
  typesOf,
} from "../support/anthropic.ts";
import { anthropicHistory } from "../support/histories.ts";
import { changedAt, contentPaths, HARMLESS } from "../support/histories-rewrites.ts";
import { runs } from "../support/runs.ts";

const tools = [
  {
    name: "look",
    description: "Looks.",
    input_schema: {
      type: "object",
      properties: { cache_control: { type: "string", default: null } },
    },
  },
];
const request = (messages: readonly Message[], more: object = {}): ProviderRequest => ({
  system: "Be kind.",
  tools,
  ...more,
  messages,
});

const FORMS = [
  "parsed anew from JSON",
  "strings as one text block",
  "one text block as a string",
  "cache marks moved",
  "keys in another order",
  "callers dropped",
] as const;
/** What the SDK's types name beside absent. */
const nulled = (messages: readonly Message[]): Message[] =>
  messages.map((message) => ({
    ...message,
    content: Array.isArray(message["content"])
      ? (message["content"] as object[]).map((block) => ({
          cache_control: null,
          ...block,
          ...("text" in block && !("citations" in block) ? { citations: [] } : {}),
        }))
      : message["content"],
  }));

describe("the digest that thinking is held to", () => {
  it("is one for all forms that the provider takes for one, in any of their mixtures", () => {
    fc.assert(
      fc.property(
        anthropicHistory(),
        fc.subarray([...FORMS], { minLength: 1 }),
        fc.boolean(),
        (messages, forms, nulls) => {
          // A caller that code gave, unlike one that is a direct one, is part of the call.
          const own = HARMLESS["callers dropped"]!(messages);
          const other = forms.reduce((made, form) => HARMLESS[form]!(made), own);
          expect(prefixOf(request(nulls ? nulled(other) : other))).toBe(prefixOf(request(own)));
        },
      ),
      { numRuns: runs(50) },
    );
    const plain = prefixOf(request([]));
    expect(
      prefixOf(
        request([], {
          system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
        }),
      ),
    ).toBe(plain);
    expect(
      prefixOf(request([], { tools: [{ cache_control: { type: "ephemeral" }, ...tools[0] }] })),
    ).toBe(plain);
    expect(prefixOf({ messages: [] })).toBe(prefixOf({ system: "", tools: [], messages: [] }));
    const call = { type: "tool_use", id: "a", name: "look", input: {} };
    expect(
      prefixOf(
        request([{ role: "assistant", content: [{ ...call, caller: { type: "direct" } }] }]),
      ),
    ).toBe(prefixOf(request([{ role: "assistant", content: [call] }])));
  });

  it("is another one for any other word, name, id or value, also where a word looks like a mark", () => {
    fc.assert(
      fc.property(
        anthropicHistory().filter((messages) => messages.length > 0),
        fc.nat(),
        fc.nat(),
        (messages, which, where) => {
          const at = which % messages.length;
          const paths = contentPaths(messages[at]!);
          fc.pre(paths.length > 0);
          const changed = messages.map((message, index) =>
            index === at ? changedAt(message, paths[where % paths.length]!) : message,
          );
          expect(prefixOf(request(changed))).not.toBe(prefixOf(request(messages)));
        },
      ),
      { numRuns: runs(100) },
    );
    const with_ = (input: unknown) =>
      prefixOf(
        request([
          { role: "assistant", content: [{ type: "tool_use", id: "a", name: "look", input }] },
        ]),
      );
    expect(
      new Set(
        [
          {},
          { cache_control: "no" },
          { cache_control: null },
          { content: "x" },
          { content: [{ type: "text", text: "x" }] },
        ].map(with_),
      ).size,
    ).toBe(5);
    const thought = (signature: string) =>
      prefixOf(
        request([{ role: "assistant", content: [{ type: "thinking", thinking: "", signature }] }]),
      );
    expect(thought("a")).not.toBe(thought("b"));
    const schema = (inner: object) =>
      prefixOf(
        request([], {
          tools: [{ ...tools[0], input_schema: { type: "object", properties: inner } }],
        }),
      );
    expect(new Set([{}, { cache_control: null }, { cache_control: {} }].map(schema)).size).toBe(3);
    const [one, two] = [
      { role: "user", content: "a" },
      { role: "user", content: "b" },
    ];
    expect(prefixOf(request([one, two]))).not.toBe(prefixOf(request([two, one])));
  });
});

type Param = Anthropic.MessageParam;
const MARK = { cache_control: { type: "ephemeral" as const } };

/** The newest message goes out marked, as blocks; all before it as they were. */
function marksNewest(messages: readonly Param[]): Param[] {
  const last = messages.at(-1)!;
  const blocks =
    typeof last.content === "string"
      ? [{ type: "text" as const, text: last.content }]
      : last.content.map((block) =>
          block.type === "tool_result" && typeof block.content === "string"
            ? { ...block, content: [{ type: "text" as const, text: block.content, ...MARK }] }
            : block,
        );
  const end = blocks.at(-1)!;
  return [
    ...messages.slice(0, -1),
    {
      role: last.role,
      content: [
        ...blocks.slice(0, -1),
        end.type === "tool_result" ? end : { ...end, ...MARK },
      ] as Param["content"],
    } as Param,
  ];
}

const calls = [
  { type: "thinking", thinking: "I should look." },
  { type: "tool_use", name: "look", input: {} },
];
const said = [
  { type: "thinking", thinking: "That was it." },
  { type: "text", text: "Seen." },
];

/** Turns with a call of a tool each; how many thoughts went out with each request. */
async function talk(
  client: Anthropic,
  script: (blocks: readonly object[]) => void,
  {
    messages = [],
    turns,
    send = (all) => [...all],
    system,
  }: {
    messages?: Param[];
    turns: number;
    send?: (messages: readonly Param[]) => Param[];
    system: (call: number) => Anthropic.MessageCreateParams["system"];
  },
): Promise<Param[]> {
  let made = 0;
  const say = async (message: Param, reply: readonly object[]): Promise<Anthropic.Message> => {
    messages.push(message);
    script(reply);
    const answer = await client.messages.create({
      model: MODEL,
      max_tokens: 500,
      thinking: { type: "adaptive" },
      system: system(made++)!,
      tools: tools as Anthropic.Tool[],
      messages: send(messages),
    });
    messages.push({ role: "assistant", content: answer.content as Param["content"] });
    return answer;
  };
  for (let turn = 0; turn < turns; turn++) {
    const { content } = await say(
      { role: "user", content: `Turn ${turn}. ${prose(100, turn)}` },
      calls,
    );
    const id = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))[0]!;
    await say(
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: id, content: `It is there. ${prose(60, turn)}` },
        ],
      },
      said,
    );
  }
  return messages;
}

const thoughts = (bodies: readonly unknown[]): number[] =>
  bodies.map(
    (body) =>
      JSON.stringify((body as { messages: unknown }).messages).split('"signature"').length - 1,
  );

describe("a caller that moves its own cache mark", () => {
  for (const inject of [false, "context"] as const)
    it(`keeps every thought${inject ? ", with sections of ours behind its system text" : ""}`, async () => {
      const server = await freshServer();
      const { tidemark, events } = await freshTidemark({ inject });
      const blocks = (call: number) =>
        call % 2 === 0 ? "Be kind." : [{ type: "text" as const, text: "Be kind.", ...MARK }];
      await talk(
        clientOf(server, tidemark),
        (reply) => server.script({ reply: () => reply as never }),
        { turns: 5, send: marksNewest, system: blocks },
      );
      expect(thoughts(server.requests.map(({ body }) => body))).toEqual([
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
      ]);
      expect(server.refusals).toEqual([]);
      expect(typesOf(events)).not.toContain("thinking-dropped");
    });
});
