import type { Message } from "../../src/core/request.ts";
import { type Chance, chance } from "./histories-random.ts";
import type { Json } from "./messages-server/index.ts";

/** What a conversation holds besides words and plain calls, and what happens around it. */
export interface Wide {
  /** Searches the provider runs within its reply, and replies it pauses in the middle of one. */
  readonly servers: boolean;
  readonly pauses: boolean;
  readonly images: boolean;
  /** The caller's own system messages in the middle; such a conversation keeps to models that take them. */
  readonly systems: boolean;
  /** Words beside results, further messages of the user's behind. */
  readonly beside: boolean;
  readonly joins: boolean;
  /** Replies sent back as one block a message. */
  readonly splits: boolean;
  readonly recalls: boolean;
  readonly sections: boolean;
  readonly restarts: boolean;
  readonly branches: boolean;
  readonly switches: boolean;
  /** Two calls at once with the same messages. */
  readonly twice: boolean;
}

export function wideOf(seed: number): Wide {
  const { maybe } = chance(seed ^ 0x77aa);
  const some = maybe(0.75);
  const of = (share: number): boolean => maybe(share) && some;
  return {
    servers: of(0.4),
    pauses: of(0.5),
    images: of(0.3),
    systems: of(0.3),
    beside: of(0.4),
    joins: of(0.3),
    splits: of(0.25),
    recalls: of(0.35),
    sections: of(0.4),
    restarts: of(0.08),
    branches: of(0.3),
    switches: of(0.3),
    twice: of(0.25),
  };
}

export const NARROW: Wide = {
  servers: false,
  pauses: false,
  images: false,
  systems: false,
  beside: false,
  joins: false,
  splits: false,
  recalls: false,
  sections: false,
  restarts: false,
  branches: false,
  switches: false,
  twice: false,
};

const BOUND = ["claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5", "claude-fable-5-1"];
export const MODELS = [...BOUND, "claude-sonnet-4-6"];
/** Opus 4.8 takes system messages and binds nothing. */
export const modelsFor = ({ systems }: Wide): readonly string[] =>
  systems ? [...BOUND, "claude-opus-4-8"] : [...MODELS, "claude-opus-4-8"];

const TOOLS = ["read", "write", "bash"].map((name) => ({
  name,
  description: `Runs ${name}.`,
  input_schema: { type: "object" },
}));
export const toolsFor = ({ servers }: Wide): readonly Json[] => [
  ...TOOLS,
  ...(servers ? [{ type: "web_search_20250305", name: "web_search" }] : []),
];

/** What comes next on both sides. */
export interface Step {
  readonly reply: readonly Json[];
  readonly then: readonly Message[];
  /** It goes on with a reply that was paused, and nothing is thought before that. */
  readonly goesOn?: boolean;
  readonly stop?: "pause_turn";
}
/** Undefined at the end. */
export type Next = () => Step | undefined;

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
const QUESTION = "Which crate on the quay waits for the tide?";

/** It begins with a long message, so that the marks are not far. */
export function madeUp(
  random: Chance,
  { calls, window, wide }: { calls: number; window: number; wide: Wide },
): { first: Message[]; next: Next } {
  let at = 0;
  let paused: string | undefined;
  const text = (said: string): Json => ({ type: "text", text: said });
  const found = (id: string): Json => ({
    type: "web_search_tool_result",
    tool_use_id: id,
    content: [
      {
        type: "web_search_result",
        title: random.text(20),
        url: "https://example.org/x",
        encrypted_content: random.bytes(20, 60),
        page_age: null,
      },
    ],
  });

  function userTurn(uses: readonly Json[]): Message[] {
    const results = uses.map(({ id }): Json => ({
      type: "tool_result",
      tool_use_id: id,
      content:
        wide.images && random.maybe(0.2)
          ? [text(random.text(60)), IMAGE]
          : random.text(random.maybe(0.06) ? 2_500 : 300),
    }));
    const words = `${wide.recalls ? `${QUESTION} ` : ""}${random.text(300)}`;
    const behind =
      wide.beside && random.maybe(0.3)
        ? [text(`And ${wide.recalls ? QUESTION : random.text(60)}`)]
        : [];
    const said: Message = {
      role: "user",
      content:
        uses.length > 0
          ? [...results, ...behind]
          : wide.images && random.maybe(0.2)
            ? [IMAGE, text(words)]
            : words,
    };
    return [
      said,
      ...(wide.joins && random.maybe(0.25)
        ? [{ role: "user", content: `Oh, and ${random.text(80)}` }]
        : []),
      ...(wide.systems && random.maybe(0.25)
        ? [{ role: "system", content: `Mind the ${random.text(30)}` }]
        : []),
    ];
  }

  const next: Next = () => {
    if (paused !== undefined) {
      const id = paused;
      paused = undefined;
      return {
        reply: [found(id), text(`Found ${random.text(120)}`)],
        then: userTurn([]),
        goesOn: true,
      };
    }
    if (at++ >= calls) return undefined;
    const uses = random.maybe(0.6)
      ? Array.from({ length: random.pick([1, 1, 2]) }, () => ({
          type: "tool_use",
          id: random.id(`toolu_${at}_`),
          name: random.pick(TOOLS).name,
          input: random.input(),
        }))
      : [];
    const said = random.maybe(0.7) || uses.length === 0 ? [text(random.text(240))] : [];
    if (!wide.servers || random.maybe(0.7))
      return { reply: [...said, ...uses], then: userTurn(uses) };
    const id = random.id(`srvtoolu_${at}_`);
    const search = {
      type: "server_tool_use",
      id,
      name: "web_search",
      input: { query: random.text(20) },
    };
    if (wide.pauses && random.maybe(0.4)) {
      paused = id;
      return { reply: [...said, search], then: [], stop: "pause_turn" };
    }
    return { reply: [search, found(id), ...said, ...uses], then: userTurn(uses) };
  };
  let begin = "Please begin.";
  while (begin.length < window) begin += ` ${random.text(120)}`;
  return { first: [{ role: "user", content: begin }], next };
}
