import { defined } from "../../base/guards.ts";
import { type Message } from "../../model/request.ts";
import { type Canary, KINDS, type Kind } from "./canary.ts";
import { Dice } from "./dice.ts";
import { type Said, wordsFrom, type Wording } from "./wording.ts";
import { FACTS } from "./wordings-facts.ts";
import { WORK } from "./wordings-work.ts";

const user = (content: unknown): Message => ({ role: "user", content });
const assistant = (content: unknown): Message => ({ role: "assistant", content });
const PROMPTS = [
  "How does it look?",
  "Anything new?",
  "What did you find?",
  "And?",
  "Where are we?",
];
const NODS = [
  "Understood.",
  "All right.",
  "Noted.",
  "Got it, thanks.",
  "Good to know.",
  "Thank you, that helps.",
];

/** `each` canaries of every kind, in wordings of their own, in an order of their own. */
export function plant(seed: number, each = 2): Canary[] {
  const dice = new Dice(seed);
  const words = wordsFrom(dice);
  const canaries = KINDS.flatMap((kind) => {
    const wordings = dice.shuffled(WORDINGS[kind].map((wording, at) => ({ wording, at })));
    return Array.from({ length: each }, (_, turn): Canary => {
      const { wording, at } = wordings[turn % wordings.length] ?? dice.of(wordings);
      const said = wording(words, dice);
      return {
        kind,
        wording: at,
        messages: exchange(said, dice),
        question: said.question,
        needs: said.needs,
      };
    });
  });
  return dice.shuffled(canaries);
}

/** The exchange begins with the user and ends with the assistant, and says nothing else. */
function exchange({ by, text, call }: Said, dice: Dice): Message[] {
  if (by === "user") return [user(text), assistant(dice.of(NODS))];
  if (by === "assistant" || call === undefined) return [user(dice.of(PROMPTS)), assistant(text)];
  const id = `plant_${dice.below(2 ** 31).toString(36)}`;
  return [
    user(dice.of(PROMPTS)),
    assistant([
      { type: "text", text },
      { type: "tool_use", id, name: call.name, input: call.input },
    ]),
    user([
      {
        type: "tool_result",
        tool_use_id: id,
        content: call.answer,
        ...defined({ is_error: call.failed ? true : undefined }),
      },
    ]),
    assistant(call.failed ? "That was not it. I leave it for now." : "That is written."),
  ];
}

/** Every second wording was not looked at while Tidemark was made to keep them (see bench/canaries.ts). */
export const WORDINGS: Readonly<Record<Kind, readonly Wording[]>> = { ...FACTS, ...WORK };
