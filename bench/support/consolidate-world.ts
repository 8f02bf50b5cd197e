// Facts of eight kinds, each in seven wordings, and a model that drops a third of what it should keep.
import { chance } from "../../drill/host.ts";

export interface Planted {
  readonly kind: string;
  readonly wordings: readonly string[];
  readonly question: string;
  /** An answer to the question holds it. */
  readonly answer: RegExp;
}

const words = (text: string): string[] => text.split(" ");
const CITIES = words(
  "Kiel Gent Oslo Turin Porto Lyon Graz Bern Cork Bath Riga Lodz Brno Split Vaasa Bergen Cadiz Parma Delft Namur Trier Pecs Zadar Tartu Nancy",
);
const SERVICES = words("billing search ledger mailer crawler");
const PEOPLE = words(
  "Quist Ferrand Oduya Brandt Maalouf Iversen Castell Dvorak Rahimi Soto Lindqvist Moreau Petrov Achebe Tanaka",
);
const COLOURS = words("teal amber violet crimson ochre indigo olive scarlet ivory turquoise");
const HALLS = words("cedar walnut birch maple alder rowan linden poplar juniper hazel");
const ENGINES = words("Postgres Redis Kafka Elixir Clickhouse Rabbit Nats Etcd");
const REASONS = words("latency licences staffing audits replication tooling");
const at = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

/** Of each kind: wordings with {e} for the thing and {v} for what is said of it, and a question. */
const KINDS: Readonly<
  Record<
    string,
    { value: (n: number) => string; ask: string; say: readonly string[]; answer?: RegExp }
  >
> = {
  number: {
    value: (n) => String(4_000 + n * 7),
    ask: "Which port does the {e} service listen on?",
    say: [
      "The {e} service listens on port {v}.",
      "{e} service listens on the port {v}.",
      "Port {v} is the one on which the {e} service listens.",
      "The port that the {e} service listens on is {v}.",
      "The {e} service listens on TCP port {v}.",
      "Since the move the {e} service listens on port {v}.",
      "As far as is known the {e} service listens on port {v} today.",
    ],
  },
  name: {
    value: (n) => at(PEOPLE, n * 4 + 1),
    ask: "Who looks after the {e} service?",
    say: [
      "{v} looks after the {e} service.",
      "The {e} service is looked after by {v}.",
      "It is {v} who looks after the {e} service.",
      "The one who looks after the {e} service is {v}.",
      "{v} from platform looks after the {e} service.",
      "Since spring {v} looks after the {e} service.",
      "As everybody knows {v} looks after the {e} service.",
    ],
  },
  path: {
    value: (n) => `/etc/app${n}/main.conf`,
    ask: "Where is the {e} service configured?",
    say: [
      "The {e} service is configured in {v}.",
      "{v} configures the {e} service.",
      "The file that configures the {e} service is {v}.",
      "In {v} the {e} service is configured.",
      "The {e} service is configured in the file {v}.",
      "Today the {e} service is configured in {v}.",
      "As documented, {v} is where the {e} service is configured.",
    ],
  },
  day: {
    value: (n) => `2026-0${1 + (n % 9)}-${10 + (n % 19)}`,
    ask: "When did the {e} service go live?",
    say: [
      "The {e} service went live on {v}.",
      "On {v} the {e} service went live.",
      "{v} is the day the {e} service went live.",
      "The day the {e} service went live was {v}.",
      "After tests the {e} service went live on {v}.",
      "The {e} service went live on {v} as planned.",
      "It was on {v} that the {e} service went live.",
    ],
  },
  denial: {
    value: (n) => at(SERVICES, n + 2),
    ask: "Does the {e} service write to the {v} bucket?",
    answer: /\bnever\b|\bnot\b|n't\b/,
    say: [
      "The {e} service must not write to the {v} bucket.",
      "The {e} service does not write to the {v} bucket.",
      "To the {v} bucket the {e} service does not write.",
      "By design the {e} service does not write to the {v} bucket.",
      "The {e} service does not write to the {v} bucket at night.",
      "It is so that the {e} service does not write to the {v} bucket.",
      "The {e} service still does not write to the {v} bucket.",
    ],
  },
  place: {
    value: (n) => at(HALLS, n * 3),
    ask: "In which hall does the {e} service stand?",
    say: [
      "The machines of the {e} service stand in the {v} hall.",
      "In the {v} hall stand the machines of the {e} service.",
      "The {v} hall is where the machines of the {e} service stand.",
      "Machines of the {e} service stand in the {v} hall.",
      "All machines of the {e} service stand in the {v} hall.",
      "Since summer the machines of the {e} service stand in the {v} hall.",
      "The machines of the {e} service stand in the {v} hall downstairs.",
    ],
  },
  decision: {
    value: (n) => `${at(ENGINES, n * 5)} because of ${at(REASONS, n)}`,
    ask: "What was the {e} service built on, and why?",
    say: [
      "The {e} service was built on {v}.",
      "It was decided that the {e} service was built on {v}.",
      "We built the {e} service on {v}.",
      "The team built the {e} service on {v}.",
      "Finally the {e} service was built on {v}.",
      "The {e} service was built on {v}, after some talk.",
      "From the start the {e} service was built on {v}.",
    ],
  },
  word: {
    value: (n) => at(COLOURS, n * 7),
    ask: "What colour is the label of the {e} service?",
    say: [
      "The label of the {e} service on the board is {v}.",
      "On the board the label of the {e} service is {v}.",
      "The {e} service has a {v} label on the board.",
      "A {v} label on the board is the {e} service.",
      "The label of the {e} service on the big board is {v}.",
      "It is a {v} label that the {e} service has on the board.",
      "The label of the {e} service on the board is {v} now.",
    ],
  },
};

/** So many facts, each of another thing of its kind. */
export function planted(count: number): Planted[] {
  const kinds = Object.entries(KINDS);
  return Array.from({ length: count }, (_, n) => {
    const [kind, { value, ask, say, answer }] = at(kinds, n);
    const place = Math.floor(n / kinds.length);
    const entity = `${at(CITIES, place)} ${at(SERVICES, Math.floor(place / CITIES.length))}`;
    const said = value(place);
    const filled = (text: string): string => {
      const whole = text.replace("{e}", entity).replace("{v}", said);
      return whole.charAt(0).toUpperCase() + whole.slice(1);
    };
    const escaped = said.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const own = answer ?? new RegExp(escaped, "i");
    return { kind, wordings: say.map(filled), question: filled(ask), answer: own };
  });
}

/** What is said once and by itself. */
export const filler = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => {
    const random = chance(n + 1);
    const pick = (list: readonly string[]): string => at(list, Math.floor(random() * list.length));
    return `Visit ${n}: ${pick(PEOPLE)} met ${pick(PEOPLE)} in ${pick(CITIES)} about ${pick(REASONS)} and the ${pick(COLOURS)} ${pick(HALLS)} table.`;
  });

/** The sentences as a request of ours shows them, in one that lacks a third of its words that tell. */
export function droppingModel(seed = 7) {
  const random = chance(seed);
  let calls = 0;
  const model = async ({ messages }: { messages: readonly { content?: unknown }[] }) => {
    calls += 1;
    const lines = JSON.stringify(messages.at(-1)?.content ?? "").split(String.raw`\n`);
    const said = lines.flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
    const [longest = ""] = said.toSorted((one, other) => other.length - one.length);
    const telling = new Set(
      longest.match(/\S*[\d/]\S*|(?<=\s)\p{Lu}\S*|\b(?:not|never)\b/gu) ?? [],
    );
    const lost = new Set([...telling].filter(() => random() < 1 / 3));
    const text = longest
      .split(" ")
      .filter((word) => !lost.has(word))
      .join(" ");
    return { text, usage: { input: 200, output: 30 } };
  };
  return { model, calls: () => calls };
}
