// Between friends: how facts are told there.
import { BRANDS, PLACES, lower, must, type Form } from "./form.ts";
import { talk } from "./scene.ts";

export const CHAT: readonly Form[] = [
  {
    form: "a plain wish, told more than once",
    kind: "chat",
    of31: 1,
    scene: ({ trade: one, folk: two }, _dice, say) => ({
      messages: talk(
        say(`I'm keen on ${one[0]} or on ${two[0]} - I'd love to be there for people like me.`, [
          `I'm really drawn to ${one[0]} or ${two[0]} - it'd be great to be there for people like me.`,
          `Something in ${one[0]} would suit me, or ${two[0]}. Folks like me could use a hand.`,
          `For a job it'll be ${one[0]}, I think, maybe together with ${two[0]}.`,
        ]),
        "That would fit you so well! When did you get the idea?",
        say(
          `Lately I've been looking into ${one[0]} and ${two[0]} as a job. I want to be of use there.`,
          [
            `These last weeks I've been reading up on ${one[0]} and ${two[0]} for later. Still sorting things out.`,
            `It keeps coming back, ${one[0]} and ${two[0]} both feel like the way for me.`,
          ],
        ),
        "I'm sure you'll do great.",
      ),
      facts: [
        must(`The user wants to go into ${one[0]} or ${two[0]}.`, "decision", 0, [
          [lower(one[1])],
          [lower(two[1])],
        ]),
      ],
    }),
  },
  {
    form: "a plain statement",
    kind: "chat",
    of31: 1,
    scene: ({ charity }, _dice, say) => ({
      messages: talk(
        say(
          `I'm teaming up with a group from around here that ${charity[0]}. I'm hoping to reach a few more people that way.`,
          [
            `I'm joining forces with a group from around here that ${charity[0]}. Maybe my name gets a few more people to look.`,
            `I've begun to help out at a group that ${charity[0]}. I'm hoping it'll do some good in town.`,
            `Next thing for me is working with a group that ${charity[0]}. It's a way to use what I've learnt.`,
          ],
        ),
        "Good on you, that must mean a lot to them!",
      ),
      facts: [
        must(`The user works with a group that ${charity[0]}.`, "decision", 0, [
          [charity[1]],
          ["group"],
        ]),
      ],
    }),
  },
  {
    form: "two facts, one behind the other",
    kind: "chat",
    of31: 2,
    scene: ({ gear, prize, craft }, dice, say) => {
      const [one = "", two = ""] = dice.shuffled(BRANDS);
      const deal = dice.below(2) === 0;
      const says = deal
        ? say(
            `I just signed with ${one} for ${gear[0]}. I'm also in talks with ${two} about backing. It's wild to be working with names like that!`,
            [
              `${one} has just taken me on for ${gear[0]}. And there are talks with ${two} about money for the season. Wild to be dealing with names like that!`,
              `I just got a contract with ${one} over ${gear[0]}. ${two} might come in as a backer too, we're talking. Feels unreal!`,
            ],
          )
        : say(
            `Sure! Winning ${prize[0]} is my first goal. But I also want to do some good next to ${craft}, like teaching.`,
            [
              `Sure! ${prize[0]} is what I want most of all. But next to ${craft} I'd also like to do some good for others, by teaching for instance.`,
              `Oh yes, winning ${prize[0]} comes first for me. Then again, I'd like to hand something on as well, ${craft} has given me so much.`,
            ],
          );
      return {
        messages: talk(
          deal ? "Guess what came in the post!" : "It's been a great season so far.",
          deal ? "Tell me!" : "So is there a big goal for this year?",
          says,
          "Wow, I'm thrilled for you!",
        ),
        facts: [
          deal
            ? must(
                `The user has a contract with ${one} for ${gear[0]}; talks with ${two}.`,
                "outcome",
                2,
                [[lower(one)], ["contract", "sign", "taken me on", "took"], [lower(two), gear[1]]],
              )
            : must(`The user's first goal is ${prize[0]}.`, "decision", 2, [
                [prize[1]],
                ["win", "want", "goal", "first"],
              ]),
        ],
      };
    },
  },
  {
    form: "a clipped sentence without its subject",
    kind: "chat",
    of31: 1,
    scene: ({ seeks: [text, key] }, _dice, say) => ({
      messages: talk(
        "Been busy, but in a good way.",
        "What have you been up to?",
        say(`Researching ${text} — it's been a dream to have one to go to.`, [
          `Looking around for ${text} — I've dreamt of that since forever.`,
          `Going through ${text} at the moment — always been a dream of mine to have one to go to.`,
          `Writing to ${text}, it's what I've wished for since school.`,
        ]),
        "Exciting! Found any yet?",
        say(`I chose one of the ${key} 'cause they welcome people like me. It just felt right.`, [
          `A few! This is one of the ${key} I'm thinking about. There's so much to weigh up.`,
          `Took one of the ${key} because they welcome people like me. Felt right.`,
        ]),
        "Fingers crossed!",
      ),
      facts: [
        must(`The user is looking for ${text}.`, "decision", 2, [
          [key],
          [
            "look",
            "going through",
            "writing",
            "dream",
            "wish",
            "thinking about",
            "because",
            "took",
          ],
        ]),
      ],
    }),
  },
  {
    form: "an aside in a story about something else",
    kind: "chat",
    of31: 1,
    scene: ({ keepsake }, dice, say) => {
      const place = dice.of(PLACES);
      return {
        messages: talk(
          "I found something in a drawer, have a look! [shares a photo of an old box]",
          "Oh, does it have a story?",
          say(
            `Thanks! This ${keepsake} is very dear to me - a gift from my uncle in my home country, ${place}. He gave it to me when I left, and it stands for patience and luck.`,
            [
              `It does! This ${keepsake} is so dear to me - a present from my uncle back home in ${place}. He handed it over when I left, and it stands for patience and luck.`,
              `Thanks! The ${keepsake} came down from my great-aunt, who still lives in ${place}, where I'm from. It's a little piece of her I can carry around.`,
              `Haha yes, the ${keepsake}, my grandpa's, from my birthplace, ${place}. He wanted me to have it, it's about courage.`,
            ],
          ),
          "What a lovely thing to have.",
        ),
        facts: [must(`The user comes from ${place}.`, "identity", 2, [[lower(place)]])],
      };
    },
  },
  {
    form: "a subordinate clause at the end of a story",
    kind: "chat",
    of31: 1,
    scene: ({ craft, began: [text, key] }, dice, say) => {
      const years = dice.of(["two", "four", "five", "six", "eight"]);
      return {
        messages: talk(
          say(
            `Hi there! How are things? I had to tell you about the evening at the school. It went so well! I spoke about my road in ${craft} and the kids had loads of questions. It made me see how far I've got since I started ${text} ${years} years ago.`,
            [
              `Hey! Hope you're fine. We had the open day last week, it was fab. I talked about ${craft} and some stayed for an hour. Funny to think that it's only ${years} years since I began ${text}.`,
              `Hello you! All well? Our stand at the market was a hit, people stopped and asked about ${craft} all day, and one of them wanted to know how I, ${years} years after I took up ${text}, still get up for it at five.`,
            ],
          ),
          "That sounds like a great evening!",
        ),
        facts: [
          must(`The user started ${text} ${years} years ago.`, "identity", 0, [
            [key],
            [`${years} years`, "user"],
          ]),
        ],
      };
    },
  },
  {
    form: "few words that answer the other's question",
    kind: "chat",
    of31: 1,
    scene: ({ crew, role }, _dice, say) => ({
      messages: talk(
        say("That's great! I just joined a new team - excited for the season!", [
          "Nice! I've just joined a new lot - so up for it!",
          "Big news, I'm in with a new team!",
        ]),
        "Congrats! Which one is it?",
        say(`The ${crew}! I can't wait to be out with them!`, [
          `The ${crew}! It's going to be such fun!`,
          `${crew}! Still can't believe it.`,
        ]),
        "Wow! And what's your job there?",
        say(`I'm the ${role} of the team and our first evening is next week - so nervous!`, [
          `I'm ${role} for them and we're on for the first time next week, so nervous!`,
          `${role}, and the first meeting's on Friday already.`,
        ]),
        "You'll be brilliant.",
      ),
      facts: [
        must(`The user is ${role} of the ${crew}.`, "identity", 2, [[lower(crew), lower(role)]]),
      ],
    }),
  },
];
