import { type Cues } from "./phrases.ts";

export const english: Cues = {
  fillers:
    "ok okay so well and but also yeah yes oh hey hi um please then now alright right sure btw omg omfg dude just no hmm sorry wait",
  about: {
    phrases: "i, i'm, i've, i'd, we, we're, we'll, my, our",
    match: "My name is Ada. | I'm a nurse in Leeds. | Our CI runs on GitHub Actions.",
    not: "Can you look at the tests? | Great, thank you!",
  },
  prefers: {
    phrases:
      "prefer, i'd rather, i like, i love, i hate, favorite, i don't like, i do not want, i don't want",
    match: "I would prefer the larger one. | I do not want insurance.",
    not: "I'd like to book a flight. | How are you?",
  },
  needs: {
    phrases: "allergic, allergy, vegan",
    match: "I'm allergic to peanuts, so food needs some care.",
    not: "I like peanuts. | I need a table for two.",
  },
  rules: {
    phrases:
      "always, never, must not, must be, from now on, every time, ^no, ^only, under no circumstances, not allowed, unless i, ^don't, " +
      "^do not, sign off, make sure",
    match: "Always answer in German. | Invalid themes must NEVER explode. | No console logs!",
    not: "Where is the file? | The build runs in CI.",
  },
  decides: {
    phrases: "decided, let's go with, let's use, i'll go with, we'll go with, instead of",
    match: "Let's go with Postgres. | We decided to drop IE. | I'll go with the second option.",
    not: "Should we go? | What is this?",
  },
  plans: {
    phrases: "i'm planning, i plan, i'm going to, goal, dream, i want to become, i'm moving",
    match: "I'm planning a trip to Japan in April. | My goal is a championship.",
    not: "Are you free? | Well done!",
  },
  corrects: {
    phrases:
      "^actually, i meant, i said, that's wrong, is wrong, that's not, that is not, not what, misunderstood, no longer, undid, " +
      "^correction, i was wrong, misspoke, got that wrong, should have",
    match: "Actually it is 9443. | That's not the system prompt, see main.ts. | I meant Tuesday.",
    not: "Costs are listed below. | Thanks, that helped!",
  },
  requests: {
    phrases:
      "please, can you, could you, can we, would you, help me, i need to, i'd like to, ^let's, ^add, ^fix, ^make, ^create, ^write, " +
      "^implement, ^update, ^remove, ^run, ^read, ^show, ^check, ^change, ^continue, go ahead",
    match: "Please cancel my booking. | Fix the login page. | Could you check the logs?",
    not: "I live in Bern. | The meeting moved to Thursday.",
  },
  defers: {
    phrases: "later, when you get to it, don't forget, remind me",
    match: "Update the docs later. | Don't forget the invoice.",
    not: "Latest news, please.",
  },
  withdraws: {
    phrases: "never mind, forget it, no need",
    match: "Never mind, it works.",
    not: "Don't forget the milk.",
  },
  remember: {
    phrases: "remember that, ^remember, keep in mind, for the record",
    match: "Remember that my dentist is Dr. Moss. | For the record, the port is 9443.",
    not: "Do you recall it?",
  },
  thanks: {
    phrases: "thanks, thank you, great, perfect, nice, well done, love it, all good, not bad",
    match: "Thanks a lot! | That is great. | No, all good.",
    not: "The deadline is Friday.",
  },
  done: {
    phrases:
      "done, completed, complete, finished, implemented, fixed, has been, i've, successfully, pushed, created",
    match: "All done: the epic is closed. | The reservation has been cancelled.",
    not: "Let me look at the file. | Which one do you want?",
  },
  refuses: {
    phrases: "i can't, i cannot, unable to, cannot be, unfortunately, fails",
    match: "Unfortunately the seat cannot be changed.",
    not: "It works now.",
  },
  because: {
    phrases:
      "because, due to, root cause, the problem, the issue, turns out, turned out, support, requires",
    match: "It fails because the port is taken. | SQLite doesn't support ALTER TABLE modify.",
    not: "Let me read the file.",
  },
  states: {
    phrases: "is, are, was, has, runs, uses, moved, needs, expires, costs",
    match: "The meeting moved to Thursday 3pm. | The API rate limit is 50 requests per minute.",
    not: "Sleep five seconds. | Copy the dark theme over.",
  },
};
