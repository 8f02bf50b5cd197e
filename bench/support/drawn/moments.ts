// What people say that need not be remembered, in the forms and shares of the labelled transcripts: of some 220 messages of a
// user on which no fact rests, one share stands for ten.
import type { Dice } from "../trial/dice.ts";
import type { Domain } from "./domain.ts";
import type { Kind } from "./form.ts";

interface Moment {
  readonly form: string;
  readonly kind: Kind;
  readonly share: number;
  readonly says: (of: Domain, dice: Dice) => string;
}

export const MOMENTS: readonly Moment[] = [
  {
    form: "applause and thanks",
    kind: "chat",
    share: 6,
    says: ({ craft }, dice) =>
      dice.of([
        "Aw thanks, that's so kind of you to say!",
        `That's brilliant, Jo! You've put so much into your ${craft}, and one can see it.`,
        "Love that for you! Making time for it is so worth it.",
        "Those colours are stunning, did it take long?",
        "Congrats, you two! Here's to many more years.",
        "Thank you! It helps a lot to hear that from you, I'll give it my best.",
        `Haha, you're a real ${craft} nerd! I'd come along any time.`,
        "So true. You're doing a great job with the kids.",
      ]),
  },
  {
    form: "a question back",
    kind: "chat",
    share: 2,
    says: ({ craft }, dice) =>
      dice.of([
        "What a pic! How long have the two of you been together?",
        `Cool! What got you into ${craft}?`,
        "And how did the little ones like it?",
        "Have you read anything good lately?",
      ]),
  },
  {
    form: "an event or a mood of the day",
    kind: "chat",
    share: 3,
    says: ({ craft, keepsake }, dice) =>
      dice.of([
        `Last week we had the craziest day of ${craft} ever, everybody was beaming! [shares a photo of a group of people outside]`,
        "We were all so tired, but happy. After that we had chips and laughed till midnight.",
        "Things are going well, the others are nice and I'm having fun.",
        `I felt so strong when they clapped. Still on a high! [shares a photo of a ${keepsake} on a table]`,
        "It's been a wild few days since we talked, so much going on!",
        "I met up with the others yesterday and it was amazing.",
      ]),
  },
  {
    form: "a word of wisdom",
    kind: "chat",
    share: 1,
    says: ({ craft }, dice) =>
      dice.of([
        "Having people around who cheer you on makes all the difference.",
        `There's nothing like the buzz of ${craft} with others. It's like a second family.`,
        "Tough times don't stay, and hope is always there.",
      ]),
  },
  {
    form: "an order of the moment",
    kind: "work",
    share: 4,
    says: ({ part, file, input, units: [right] }, dice) =>
      dice.of([
        `ok, make the ${part} a tiny bit faster`,
        `delete the ${input} again`,
        `read ${file} in full, then the other two`,
        `no, leave the ${part} as is`,
        `ok copy the ${input} over to the test folder and let me try`,
        `the ${part} must stop when it meets an empty line ...`,
        `last column should be ${right}`,
        "yes do it all",
        `make a new ${input} for me and open it, i'll edit it myself`,
        `in the readme we can tell people to copy a ${input} and change that`,
      ]),
  },
  {
    form: "a question about the work",
    kind: "work",
    share: 2,
    says: ({ part, file, input }, dice) =>
      dice.of([
        `did you change ${file} as well?`,
        `what does the ${part} do if i remove the ${input}?`,
        `hmm could we have a watcher for the ${input}? that way one sees it at once`,
        `i don't get it, does the ${part} keep the first ${input}?`,
        "ok, i think we're ready, aren't we?",
      ]),
  },
  {
    form: "a finding or a complaint of the moment",
    kind: "work",
    share: 1,
    says: ({ part, input }, dice) =>
      dice.of([
        `damn, the ${part} still looks the same`,
        `actually it's the second line of the ${input} that doesn't change`,
        `hm i picked another ${input} while you were at it and it hung`,
        `that seems to be the old ${input}`,
        "are you kidding me? what about the other two??",
      ]),
  },
  {
    form: "one word, or what was pasted",
    kind: "work",
    share: 1,
    says: ({ file }, dice) =>
      dice.of([
        "continue",
        "wait",
        `'/tmp/shots/Screen 2026-03-0${1 + dice.below(9)}.png'\n\nany idea?`,
        `$ ./run ${file}\n[main] found ${dice.below(90)} entries\n[main] done`,
      ]),
  },
  {
    form: "a notice of the harness",
    kind: "work",
    share: 1,
    says: ({ check }, dice) =>
      dice.of([
        `<task-notification>\n<status>completed</status>\n<summary>Background command "${check}" completed (exit code 0)</summary>\n</task-notification>`,
        "[Request interrupted by user]",
      ]),
  },
  {
    form: "a customer's next step",
    kind: "service",
    share: 1,
    says: ({ orders, better }, dice) =>
      dice.of([
        `I'd take the second one then, ${better[0]}, as it's cheaper.`,
        `None of those suit me, I'm after something past noon. Can you see if there are any ${orders} then?`,
        "I see. I'll try to find it in my mails.",
        "Perfect, thanks for sorting that out.",
      ]),
  },
];

/** What is answered to them. */
export const REPLIES: Readonly<Record<Kind, readonly string[]>> = {
  chat: [
    "That's so nice!",
    "Thanks! What else is new?",
    "Glad to hear it.",
    "Same here, honestly!",
  ],
  service: ["Certainly. One moment, please.", "Of course! Is there anything else?"],
  work: ["Let me check that.", "Done!", "I see. I'll look at it next.", "Good, that works now."],
};
