import { type Kind } from "./canary.ts";
import {
  assistant,
  DAYS,
  DEEDS,
  PAPERS,
  REASONS,
  slug,
  TRAITS,
  user,
  type Wording,
} from "./wording.ts";

/** Ways to say what is to be done, and how: a correction, an open request, a failed approach, a rule. */
export const WORK: Readonly<
  Record<
    Extract<Kind, "correction" | "open request" | "failed approach" | "rule">,
    readonly Wording[]
  >
> = {
  correction: [
    (w, d) =>
      ((thing, trait, old, now) =>
        user(
          `No, the ${trait} of the ${thing} is ${now}, not ${old}.`,
          `What is the ${trait} of the ${thing}?`,
          now,
        ))(w.thing(), d.of(TRAITS), w.number(4), w.number(4)),
    (w, d) =>
      ((thing, trait, now) =>
        user(
          `I was mistaken about the ${trait} of the ${thing} earlier, it is ${now}.`,
          `What is the ${trait} of the ${thing}?`,
          now,
        ))(w.thing(), d.of(TRAITS), w.number(4)),
    (w, d) =>
      ((thing, trait, now) =>
        user(
          `Correction: the ${trait} of the ${thing} should read ${now}.`,
          `What should the ${trait} of the ${thing} read?`,
          now,
        ))(w.thing(), d.of(TRAITS), w.number(4)),
    (w, d) =>
      ((thing, trait, old, now) =>
        user(
          `You wrote ${old} for the ${trait} of the ${thing}; it has to be ${now}.`,
          `What does the ${trait} of the ${thing} have to be?`,
          now,
        ))(w.thing(), d.of(TRAITS), w.number(4), w.number(4)),
    (w) =>
      ((thing, old, now) =>
        user(
          `Sorry, I misspoke: ${now} runs the ${thing}, not ${old}.`,
          `Who runs the ${thing}?`,
          now,
        ))(w.thing(), w.name(), w.name()),
    (w) =>
      ((thing, old, now) =>
        user(
          `Scratch ${old}. The ${thing} uses ${now} these days.`,
          `What does the ${thing} use these days?`,
          now,
        ))(w.thing(), w.name(), w.name()),
    (w) =>
      ((thing, old, now) =>
        user(
          `Actually, the ${thing} belongs to ${now} and not to ${old}.`,
          `To whom does the ${thing} belong?`,
          now,
        ))(w.thing(), w.name(), w.name()),
  ],
  "open request": [
    (w, d) =>
      ((thing, paper) =>
        user(
          `Later, once all this is done, please also design a ${paper} for the ${thing}.`,
          `What should be designed for the ${thing} later?`,
          thing,
          paper,
        ))(w.thing(), d.of(PAPERS)),
    (w, d) =>
      ((thing, deed, day) =>
        user(
          `Don't forget to ${deed} the ${thing} before ${day}.`,
          `What must not be forgotten about the ${thing}?`,
          thing,
          deed,
        ))(w.thing(), d.of(DEEDS), d.of(DAYS)),
    (w, d) =>
      ((thing, paper) =>
        user(
          `I still need a ${paper} about the ${thing} from you, but not now.`,
          `What is still needed about the ${thing}?`,
          thing,
          paper,
        ))(w.thing(), d.of(PAPERS)),
    (w) =>
      ((thing, name) =>
        user(
          `Remind me to call ${name} about the ${thing}.`,
          `Whom should I be reminded to call about the ${thing}?`,
          name,
          thing,
        ))(w.thing(), w.name()),
    (w, d) =>
      ((thing, deed) =>
        user(
          `At the end, ${deed} the ${thing} too.`,
          `What should be done with the ${thing} at the end?`,
          thing,
          deed,
        ))(w.thing(), d.of(DEEDS)),
    (w, d) =>
      ((thing, deed) =>
        user(
          `One more thing for when we have time: ${deed} the ${thing}.`,
          `What should be done with the ${thing} when we have time?`,
          thing,
          deed,
        ))(w.thing(), d.of(DEEDS)),
    (w, d) =>
      ((thing, paper, name) =>
        user(
          `By the end of the week I want you to send ${name} the ${paper} of the ${thing}.`,
          `What should be sent about the ${thing}, and to whom?`,
          thing,
          paper,
          name,
        ))(w.thing(), d.of(PAPERS), w.name()),
  ],
  "failed approach": [
    (w, d) =>
      ((thing, name, why) =>
        assistant(
          `I tried ${name} for the ${thing}, but it failed because ${why}.`,
          `Why did ${name} fail for the ${thing}?`,
          name,
          why,
        ))(w.thing(), w.name(), d.of(REASONS)),
    (w, d) =>
      ((thing, name, why) =>
        user(
          `We already had ${name} at the ${thing} once; it was no good, ${why}.`,
          `Why was ${name} no good at the ${thing}?`,
          name,
          why,
        ))(w.thing(), w.name(), d.of(REASONS)),
    (w, d) =>
      ((thing, name, why) =>
        assistant(
          `${name} did not work on the ${thing}: ${why}.`,
          `Why did ${name} not work on the ${thing}?`,
          name,
          why,
        ))(w.thing(), w.name(), d.of(REASONS)),
    (w) =>
      ((thing, name) =>
        user(
          `Don't bother with ${name}, that broke the ${thing} last time.`,
          `What broke the ${thing} last time?`,
          name,
          thing,
        ))(w.thing(), w.name()),
    (w, d) =>
      ((thing, name, why) =>
        assistant(
          `Using ${name} turned out to be a dead end for the ${thing}, since ${why}.`,
          `What turned out to be a dead end for the ${thing}?`,
          name,
          why,
        ))(w.thing(), w.name(), d.of(REASONS)),
    (w) =>
      ((thing, name, code) => ({
        by: "call" as const,
        text: `Let me build the ${thing} with ${name}.`,
        question: `What went wrong when building the ${thing} with ${name.toLowerCase()}?`,
        needs: [name.toLowerCase(), code],
        call: {
          name: "run",
          input: { command: `${name.toLowerCase()} build --target ${slug(thing)}` },
          answer: `error E${code}: the hinge module is not compatible with this target`,
          failed: true,
        },
      }))(w.thing(), w.name(), w.number(4)),
    (w, d) =>
      ((thing, name, why) =>
        user(
          `${name} is out for the ${thing}: when we tested it, ${why}.`,
          `Why is ${name} out for the ${thing}?`,
          name,
          why,
        ))(w.thing(), w.name(), d.of(REASONS)),
  ],
  rule: [
    (w, d) =>
      ((thing, deed, day) =>
        user(
          `Never ${deed} the ${thing} on a ${day}.`,
          `When must one never ${deed} the ${thing}?`,
          thing,
          day,
        ))(w.thing(), d.of(DEEDS), d.of(DAYS)),
    (w, d) =>
      ((thing, paper) =>
        user(
          `No ${paper} leaves the ${thing} without two signatures.`,
          `What does no ${paper} leave the ${thing} without?`,
          thing,
          "two signatures",
        ))(w.thing(), d.of(PAPERS)),
    (w, d) =>
      ((thing, paper, name) =>
        user(
          `From now on every ${paper} for the ${thing} must be shown to ${name} first.`,
          `To whom must every ${paper} for the ${thing} be shown?`,
          thing,
          name,
        ))(w.thing(), d.of(PAPERS), w.name()),
    (w, d) =>
      ((thing, deed, name) =>
        user(
          `Only ${name} is allowed to ${deed} the ${thing}.`,
          `Who is allowed to ${deed} the ${thing}?`,
          thing,
          name,
        ))(w.thing(), d.of(DEEDS), w.name()),
    (w) =>
      ((thing) =>
        user(
          `Please give all figures of the ${thing} in metric tons, always.`,
          `In what are all figures of the ${thing} given?`,
          thing,
          "metric tons",
        ))(w.thing()),
    (w, d) =>
      ((thing, deed, name) =>
        user(
          `House rule: nobody may ${deed} the ${thing} unless ${name} is in the building.`,
          `When may nobody ${deed} the ${thing}?`,
          thing,
          name,
        ))(w.thing(), d.of(DEEDS), w.name()),
    (w, d) =>
      ((thing, paper, name) =>
        user(
          `Whenever a ${paper} of the ${thing} is late, tell ${name} before anyone else.`,
          `Who must be told when a ${paper} of the ${thing} is late?`,
          thing,
          name,
        ))(w.thing(), d.of(PAPERS), w.name()),
  ],
};
