import { assistant, type Said, user } from "./wordings.ts";

/** Ways to say what is to be done, and how. */
export const WORK = {
  correction: [
    user(
      "No, the {trait} of the {thing} is {other4}, not {number4}.",
      "What is the {trait} of the {thing}?",
      "{other4}",
    ),
    user(
      "I was mistaken about the {trait} of the {thing} earlier, it is {number4}.",
      "What is the {trait} of the {thing}?",
      "{number4}",
    ),
    user(
      "Correction: the {trait} of the {thing} should read {number4}.",
      "What should the {trait} of the {thing} read?",
      "{number4}",
    ),
    user(
      "You wrote {number4} for the {trait} of the {thing}; it has to be {other4}.",
      "What does the {trait} of the {thing} have to be?",
      "{other4}",
    ),
    user(
      "Sorry, I misspoke: {Other} runs the {thing}, not {Name}.",
      "Who runs the {thing}?",
      "{Other}",
    ),
    user(
      "Scratch {Name}. The {thing} uses {Other} these days.",
      "What does the {thing} use these days?",
      "{Other}",
    ),
    user(
      "Actually, the {thing} belongs to {Other} and not to {Name}.",
      "To whom does the {thing} belong?",
      "{Other}",
    ),
  ],
  "open request": [
    user(
      "Later, once all this is done, please also design a {paper} for the {thing}.",
      "What should be designed for the {thing} later?",
      "{thing}",
      "{paper}",
    ),
    user(
      "Don't forget to {deed} the {thing} before {day}.",
      "What must not be forgotten about the {thing}?",
      "{thing}",
      "{deed}",
    ),
    user(
      "I still need a {paper} about the {thing} from you, but not now.",
      "What is still needed about the {thing}?",
      "{thing}",
      "{paper}",
    ),
    user(
      "Remind me to call {Name} about the {thing}.",
      "Whom should I be reminded to call about the {thing}?",
      "{Name}",
      "{thing}",
    ),
    user(
      "At the end, {deed} the {thing} too.",
      "What should be done with the {thing} at the end?",
      "{thing}",
      "{deed}",
    ),
    user(
      "One more thing for when we have time: {deed} the {thing}.",
      "What should be done with the {thing} when we have time?",
      "{thing}",
      "{deed}",
    ),
    user(
      "By the end of the week I want you to send {Name} the {paper} of the {thing}.",
      "What should be sent about the {thing}, and to whom?",
      "{thing}",
      "{paper}",
      "{Name}",
    ),
  ],
  "failed approach": [
    assistant(
      "I tried {Name} for the {thing}, but it failed because {reason}.",
      "Why did {Name} fail for the {thing}?",
      "{Name}",
      "{reason}",
    ),
    user(
      "We already had {Name} at the {thing} once; it was no good, {reason}.",
      "Why was {Name} no good at the {thing}?",
      "{Name}",
      "{reason}",
    ),
    assistant(
      "{Name} did not work on the {thing}: {reason}.",
      "Why did {Name} not work on the {thing}?",
      "{Name}",
      "{reason}",
    ),
    user(
      "Don't bother with {Name}, that broke the {thing} last time.",
      "What broke the {thing} last time?",
      "{Name}",
      "{thing}",
    ),
    assistant(
      "Using {Name} turned out to be a dead end for the {thing}, since {reason}.",
      "What turned out to be a dead end for the {thing}?",
      "{Name}",
      "{reason}",
    ),
    {
      by: "call",
      text: "Let me build the {thing} with {Name}.",
      question: "What went wrong when building the {thing} with {name}?",
      needs: ["{name}", "{number4}"],
      call: {
        name: "run",
        input: { command: "{name} build --target {slug}" },
        answer: "error E{number4}: the hinge module is not compatible with this target",
        failed: true,
      },
    },
    user(
      "{Name} is out for the {thing}: when we tested it, {reason}.",
      "Why is {Name} out for the {thing}?",
      "{Name}",
      "{reason}",
    ),
  ],
  rule: [
    user(
      "Never {deed} the {thing} on a {day}.",
      "When must one never {deed} the {thing}?",
      "{thing}",
      "{day}",
    ),
    user(
      "No {paper} leaves the {thing} without two signatures.",
      "What does no {paper} leave the {thing} without?",
      "{thing}",
      "two signatures",
    ),
    user(
      "From now on every {paper} for the {thing} must be shown to {Name} first.",
      "To whom must every {paper} for the {thing} be shown?",
      "{thing}",
      "{Name}",
    ),
    user(
      "Only {Name} is allowed to {deed} the {thing}.",
      "Who is allowed to {deed} the {thing}?",
      "{thing}",
      "{Name}",
    ),
    user(
      "Please give all figures of the {thing} in metric tons, always.",
      "In what are all figures of the {thing} given?",
      "{thing}",
      "metric tons",
    ),
    user(
      "House rule: nobody may {deed} the {thing} unless {Name} is in the building.",
      "When may nobody {deed} the {thing}?",
      "{thing}",
      "{Name}",
    ),
    user(
      "Whenever a {paper} of the {thing} is late, tell {Name} before anyone else.",
      "Who must be told when a {paper} of the {thing} is late?",
      "{thing}",
      "{Name}",
    ),
  ],
} satisfies Readonly<Record<string, readonly Said[]>>;
