import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import { freshFolder } from "../support/anthropic.ts";
import { handTimer } from "../support/hand-timer.ts";
import { assistant, user } from "../support/talk.ts";
import { openTimed } from "../support/timed.ts";

/**
 * A row holds until the next of its subject: what the user said, what a model makes of it ("":
 * nothing), and the words that are true from then on ("": none of its old ones).
 */
type Row = readonly [week: number, subject: string, said: string, fact: string, mark: string];
type Life = readonly Row[];
/** What asks for a subject, and its category. */
type Subjects = Readonly<Record<string, readonly [ask: string, category: string]>>;

// prettier-ignore
const SUBJECTS: Subjects = {
  name: ["What is my name?", "identity"],
  city: ["Which city do I live in?", "identity"],
  tone: ["How long should your answers be?", "preference"],
  job: ["Where do I work?", "identity"],
  dog: ["What is my dog called?", "identity"],
  sync: ["When is my team meeting?", "schedule"],
  diet: ["May I eat gluten?", "rule"],
  trip: ["Where do we plan to travel in April?", "plan"],
  emoji: ["Do I want emojis in your replies?", "preference"],
  car: ["Which car do I drive?", "identity"],
  rita: ["How does my sister Rita want her emails?", "identity"],
  dentist: ["Who is my dentist?", "identity"],
  appointment: ["When is my dentist appointment?", "schedule"],
  language: ["In which language do I want your answers?", "preference"],
  budget: ["How large is my budget for the kitchen?", "decision"],
  kitchen: ["Which colour will the kitchen walls be?", "decision"],
  luis: ["What is my partner Luís allergic to?", "identity"],
  gym: ["On which days do I go to the gym?", "identity"],
  son: ["When was our son Tomás born?", "identity"],
  visit: ["When does my mother visit us?", "schedule"],
  manager: ["Who is my manager?", "identity"],
  prices: ["In which currency do I want prices?", "rule"],
  never: ["What did I say about that idea?", ""],
};

/** The rows of `never` are jokes, ifs, and what others think. */
// prettier-ignore
const LIFE: readonly Row[] = [
  [1, "name", "Hi, I'm Ana and I live in Porto.", "The user's name is Ana and she lives in Porto.", "Ana"],
  [1, "city", "Hi, I'm Ana and I live in Porto.", "", "Porto"],
  [1, "tone", "Please keep your answers short, I read them on the bus.", "The user wants short answers.", "short answers"],
  [2, "job", "I work at Critical Software as a tester.", "The user works at Critical Software as a tester.", "Critical Software"],
  [2, "dog", "My dog is called Bolt.", "The user has a dog called Bolt.", "Bolt"],
  [3, "sync", "My team meeting is every Tuesday at 10:00.", "The user's team meeting is every Tuesday at 10:00.", "Tuesday"],
  [3, "diet", "I eat gluten free, doctor's orders.", "The user eats gluten free.", "gluten free"],
  [4, "trip", "We plan a trip to Lisbon in April.", "The user plans a trip to Lisbon in April.", "Lisbon"],
  [5, "emoji", "No emojis in your replies, please.", "The user wants no emojis in replies.", "no emojis"],
  [6, "never", "Ha, one day I'll quit and become a lion tamer.", "", "lion tamer"],
  [7, "car", "I drive a red Fiat Panda.", "The user drives a red Fiat Panda.", "Panda"],
  [8, "rita", "My sister Rita wants everything in long emails.", "The user's sister Rita wants long emails.", "Rita"],
  [9, "dentist", "My dentist is Dr. Moss.", "The user's dentist is Dr. Moss.", "Moss"],
  [10, "appointment", "My dentist appointment is on 12 May.", "The user's dentist appointment is on 12 May.", "12 May"],
  [11, "city", "We moved to Braga on Saturday.", "The user moved to Braga.", "Braga"],
  [12, "trip", "The Lisbon trip is off, too expensive.", "The trip to Lisbon is cancelled.", ""],
  [13, "sync", "Our team meeting has moved to Thursdays at 14:00.", "The user's team meeting moved to Thursday at 14:00.", "Thursday"],
  [14, "never", "If I ever lived in Madrid I would eat out every night.", "", "Madrid"],
  [15, "appointment", "The dentist moved my appointment to 19 May.", "The dentist appointment was moved to 19 May.", "19 May"],
  [16, "language", "Write to me in Portuguese from now on.", "The user wants answers in Portuguese.", "Portuguese"],
  [18, "diet", "The test was wrong: gluten is fine again.", "Gluten is fine for the user again.", ""],
  [20, "job", "I work at Farfetch now, as a developer.", "The user works at Farfetch as a developer.", "Farfetch"],
  [22, "dog", "Bolt died on Sunday, we buried him in the garden.", "The user's dog Bolt has died.", ""],
  [24, "language", "English is fine again, my colleagues read along.", "The user wants answers in English again.", "English"],
  [25, "car", "I sold the Panda and bought a Renault Clio.", "The user drives a Renault Clio.", "Clio"],
  [26, "budget", "My budget for the kitchen is 4,000 euro.", "The user's budget for the kitchen is 4,000 euro.", "4,000"],
  [28, "luis", "My partner Luís is allergic to nuts.", "The user's partner Luís is allergic to nuts.", "nuts"],
  [30, "budget", "We raised the kitchen budget to 6,500 euro.", "The kitchen budget was raised to 6,500 euro.", "6,500"],
  [31, "dentist", "Dr. Moss retired, my new dentist is Dr. Vole.", "The user's new dentist is Dr. Vole.", "Vole"],
  [32, "gym", "I go to the gym on Mondays and Fridays.", "The user goes to the gym on Mondays and Fridays.", "Mondays"],
  [33, "never", "My friend Paulo thinks I should keep my notes in Vim.", "", "Vim"],
  [34, "kitchen", "The kitchen walls will be green.", "The kitchen walls will be green.", "green"],
  [35, "tone", "You may write longer again, I have a desk now.", "The user no longer wants short answers.", ""],
  [36, "gym", "I quit the gym, no time.", "The user quit the gym.", ""],
  [38, "kitchen", "We changed our minds: the kitchen walls will be white.", "The kitchen walls will be white.", "white"],
  [40, "son", "Our son Tomás was born on 2 October.", "The user's son Tomás was born on 2 October.", "Tomás"],
  [41, "visit", "My mother visits us on 20 November.", "The user's mother visits on 20 November.", "20 November"],
  [43, "visit", "My mother's visit is put off to 4 December.", "The visit of the user's mother is put off to 4 December.", "4 December"],
  [44, "manager", "Marta is my manager.", "Marta is the user's manager.", "Marta"],
  [45, "never", "Sure, and tomorrow I'll buy a yacht.", "", "yacht"],
  [46, "prices", "Always give me prices in euros.", "The user wants prices in euros.", "euros"],
  [47, "manager", "Jonas is my manager now.", "Jonas is the user's manager now.", "Jonas"],
  [48, "city", "We moved to Aveiro, by the sea.", "The user moved to Aveiro.", "Aveiro"],
  [49, "emoji", "You may use emojis again, by the way.", "The user is fine with emojis again.", ""],
];

const DAY = 86_400_000;
const SMALL = ["Good morning!", "Thanks, that helps.", "See you next week."];
const WISHES = ["preference", "rule"];

/**
 * A model that says the truth of each session, by the user's sentences that it finds there, and
 * every second time which of what it is shown that replaces.
 */
const scripted =
  (life: Life, subjects: Subjects, names: (at: number) => boolean) =>
  async ({ messages }: { readonly messages: readonly Message[] }) => {
    const asked = JSON.stringify(messages.at(-1)?.content).replaceAll("\\n", "\n");
    const facts = life.flatMap(([, subject, said, content], at) => {
      const where = asked.indexOf(said);
      if (content === "" || where < 0) return [];
      const [, number] = [...asked.slice(0, where).matchAll(/\[#(\d+) user\]/g)].at(-1) ?? [];
      const old = life.slice(0, at).filter((row) => row[1] === subject);
      const replaces = [...asked.matchAll(/- \[(m\d+)\] (.*)/g)].flatMap(([, name, text]) =>
        old.some((row) => row[3] === text) ? [name] : [],
      );
      const [, category = ""] = subjects[subject] ?? [];
      const importance = WISHES.includes(category) ? 0.8 : 0.6;
      const fact = { content, category, importance, from: [Number(number)] };
      return [names(at) ? { ...fact, replaces } : fact];
    });
    return { text: JSON.stringify({ facts, summary: "They talked." }) };
  };

/** What was told and is not true that day, or is true and was not told. */
interface Fault {
  week: number;
  subject: string;
  readonly why: "untrue" | "unheeded" | "unknown";
  readonly line: string;
}

/** A session each week; answers the faults of what was told. */
async function play(
  life: Life,
  subjects: Subjects,
  { recall = false, restarts = false, names = (at: number) => at % 2 === 0 } = {},
): Promise<Fault[]> {
  const clock = { now: Date.parse("2026-01-05T09:00:00Z") };
  const { timer, quiet, fire } = handTimer();
  const workspace = freshFolder();
  const open = () =>
    openTimed({
      workspace,
      now: () => (clock.now += 1),
      timer,
      distil: scripted(life, subjects, names),
      ...(recall && { recall: {} }),
      listen: () => {},
    });
  const faults: Fault[] = [];
  let tidemark = await open();
  const talk = async (texts: readonly string[], week: number): Promise<void> => {
    const messages: Message[] = [];
    for (const text of new Set(texts)) {
      messages.push(user(text));
      const { request, end } = await tidemark.begin({ model: "claude-sonnet-5-5", messages });
      const { system, messages: sent } = request as { system?: unknown; messages: Message[] };
      const told = {
        system: linesOf(system),
        recalled: linesOf(sent.slice(-2)).filter((line) => line !== text),
      };
      if (texts !== SMALL) faults.push(...faultsOf(told, { life, subjects, week, text, recall }));
      await end({ role: "assistant", content: "Noted." });
      messages.push(assistant("Noted."));
      clock.now += 60_000;
    }
  };
  for (let week = 1; week <= 52; week += 1) {
    if (restarts) await talk(SMALL, week);
    await tidemark.idle();
    const known = [...new Set(life.filter((row) => row[0] < week).map((row) => row[1]))];
    const asks = [2 * week, 2 * week + 1].map(
      (at) => subjects[known[at % known.length] ?? ""]?.[0],
    );
    const says = life.filter((row) => row[0] === week).map((row) => row[2]);
    await talk([...says, ...asks.filter((ask) => ask !== undefined), ...SMALL.slice(1)], week);
    for (const pause of restarts ? [] : [270_000, 3_600_000]) {
      clock.now += pause;
      quiet().forEach(fire);
      await tidemark.idle();
    }
    if (restarts) await tidemark.close();
    clock.now += 7 * DAY;
    if (restarts) tidemark = await open();
  }
  await tidemark.close();
  return faults;
}

/** The lines that tell of memory, as a model reads them. */
const linesOf = (value: unknown): string[] => {
  const text = JSON.stringify(value ?? "")
    .replaceAll("\\n", "\n")
    .replaceAll('\\"', '"');
  return text.split("\n").filter((line) => /^(?:- |  user: )/.test(line));
};

function faultsOf(
  told: { readonly system: string[]; readonly recalled: string[] },
  {
    life,
    subjects,
    week,
    text,
    recall,
  }: {
    life: Life;
    subjects: Subjects;
    week: number;
    text: string;
    recall: boolean;
  },
): Fault[] {
  const all = [...told.system, ...told.recalled];
  return Object.entries(subjects).flatMap(([subject, [ask, category]]): Fault[] => {
    const past = life.filter((row) => row[1] === subject && row[0] < week);
    const now = past.at(-1);
    if (now === undefined || life.some((row) => row[0] === week && row[1] === subject)) return [];
    const [, , said, fact, mark] = now;
    const isNow = (line: string) => [said, fact].some((one) => one !== "" && line.includes(one));
    // That it was a joke is told by the words themselves, with their day.
    const isUntrue = (line: string) =>
      subject === "never"
        ? !line.includes("user: ") && past.some((row) => line.includes(row[4]))
        : !isNow(line) && past.some((row) => ![mark, ""].includes(row[4]) && line.includes(row[4]));
    const tells = (lines: readonly string[]) =>
      subject === "never" || lines.some((line) => line.includes(mark));
    const isWish = WISHES.includes(category);
    return [
      ...all.filter(isUntrue).map((line): Fault => ({ week, subject, why: "untrue", line })),
      ...(isWish && !tells(told.system)
        ? [{ week, subject, why: "unheeded", line: "" } as const]
        : []),
      ...(recall && text === ask && !tells(all)
        ? [{ week, subject, why: "unknown", line: text } as const]
        : []),
    ];
  });
}

describe("a year of one user", () => {
  it.each([
    ["by default", {}],
    ["with recall on, where each talk is a process", { recall: true, restarts: true }],
  ])("is told true on any day, %s", async (_, how) => {
    expect(await play(LIFE, SUBJECTS, how)).toEqual([]);
  });
});
