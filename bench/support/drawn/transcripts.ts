// Whole transcripts nobody has seen before, labelled as the shared ones are: chats, services and work sessions, three for each
// of twelve domains. Forms are dealt in the shares they have among the labelled musts. What is drawn depends on the seed alone.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Dice } from "../trial/dice.ts";
import type { Domain } from "./domain.ts";
import { DOMAINS } from "./domains.ts";
import { MOMENTS, REPLIES } from "./moments.ts";
import { called, type Form, type Kind, saying, type Wording } from "./form.ts";
import { MUSTS } from "./musts.ts";
import { answers, asks, type Fact, type Message, talk } from "./scene.ts";

/** How often the 31 musts are drawn. */
const ROUNDS = 4;
const KINDS: readonly Kind[] = ["chat", "service", "work"];
/** Transcripts of each kind in the labelled set. */
const LABELLED: Readonly<Record<Kind, number>> = { chat: 2, service: 2, work: 5 };
/** Turns of the moment before each scene: fewer than there, in the same order of kinds. */
const BEFORE: Readonly<Record<Kind, number>> = { chat: 8, service: 3, work: 8 };

interface Labelled {
  readonly name: string;
  readonly messages: readonly Message[];
  readonly durable: readonly (Fact & { readonly id: string; readonly must: 1 })[];
}

interface Slot {
  readonly form: Form;
  readonly wording: Wording;
}
/** Half of the facts in the frame of the labelled sentences, half in other words. */
export const WORDINGS: readonly Wording[] = ["frame", "other words"];

/** The scenes of a kind, dealt to its transcripts: what ends one stands last, and no form is dealt twice to one. */
function dealt(kind: Kind, dice: Dice): Slot[][] {
  const hands = Array.from({ length: LABELLED[kind] * ROUNDS }, (): Slot[] => []);
  const forms = dice.shuffled(MUSTS.filter((form) => form.kind === kind));
  const slots = (those: readonly Form[]): Slot[] =>
    those.flatMap((form) =>
      Array.from({ length: (form.of31 * ROUNDS) / (form.facts ?? 1) }, (_, at) => ({
        form,
        wording: WORDINGS[at % 2] ?? "frame",
      })),
    );
  for (const those of [forms.filter(({ ends }) => !ends), forms.filter(({ ends }) => ends)]) {
    const order = dice.shuffled(hands);
    slots(those).forEach((slot, at) => order[at % order.length]?.push(slot));
  }
  return hands;
}

const weighted = MOMENTS.flatMap((moment) => Array.from({ length: moment.share }, () => moment));

/** Something of the moment, and what is answered; of two in a work session one has a look with a tool. */
function passing(kind: Kind, of: Domain, [dice, told]: readonly [Dice, Set<string>]): Message[] {
  const own = weighted.filter((moment) => moment.kind === kind);
  // Nobody says the same again and again while there is something else to say.
  const tries = Array.from({ length: 12 }, () => dice.of(own).says(of, dice));
  const says = tries.find((one) => !told.has(one)) ?? tries[0] ?? "";
  told.add(says);
  const reply = dice.of(REPLIES[kind]);
  if (kind !== "work" || dice.below(2) === 0) return talk(says, reply);
  const read = ["Read", [{ file_path: of.file }, `1→// ${of.part}\n2→`]] as const;
  return [asks(says), ...called(dice, "Let me look at that.", ...read), answers(reply)];
}

function transcript(
  hand: readonly Slot[],
  kind: Kind,
  of: Domain,
  dice: Dice,
): Omit<Labelled, "name"> {
  const messages: Message[] = [];
  const durable: Labelled["durable"][number][] = [];
  const told = new Set<string>();
  for (const {
    form: { form, scene },
    wording,
  } of hand) {
    for (let turn = 0; turn < BEFORE[kind]; turn += 1)
      messages.push(...passing(kind, of, [dice, told]));
    const { messages: said, facts } = scene(of, dice, saying(wording, dice));
    for (const fact of facts) {
      const id = `${form}, ${wording} (${durable.length})`;
      durable.push({ ...fact, id, must: 1, at: messages.length + fact.at });
    }
    messages.push(...said);
  }
  return { messages, durable };
}

export function transcripts(seed: number): Labelled[] {
  const dice = new Dice(seed);
  const domains = dice.shuffled(DOMAINS);
  return KINDS.flatMap((kind) => dealt(kind, dice).map((hand) => ({ kind, hand }))).map(
    ({ kind, hand }, at) => {
      const of = domains[at % domains.length] as Domain;
      const name = `${of.craft.replaceAll(" ", "-")}-${kind}-${at}`;
      return { name, ...transcript(hand, kind, of, dice) };
    },
  );
}

/** Writes them as the judge reads its own: NAME.json beside NAME.messages.json. */
export function writeTranscripts(folder: string, seed: number): Labelled[] {
  const all = transcripts(seed);
  for (const { name, messages, durable } of all) {
    const file = `${name}.messages.json`;
    writeFileSync(join(folder, file), JSON.stringify({ messages }));
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ file, durable, ephemeral: [] }));
  }
  return all;
}
