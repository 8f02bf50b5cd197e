import type { Chapter } from "./script.ts";

export const finishing: readonly Chapter[] = [
  {
    title: "A week on the shelf",
    scenes: [
      {
        user: "It has been running on the shelf since Monday. Two things: the button is too easy to press by accident, and the amber looks a bit green next to the oak.",
        replies: [
          {
            think:
              "Button: require a hold of one second for the brightness. Amber: more red share in the mix, but the colour name stays amber; it must not come out as red.",
            calls: [
              ["read_file", { path: "lamp/main.js" }],
              ["read_file", { path: "lamp/config.json" }],
            ],
          },
          {
            say: "For the button I suggest a press of one second. For the amber a warmer mix, 255/140/0 instead of 230/170/0; it is still clearly amber and nowhere near red.",
          },
        ],
      },
      {
        user: "Both good. Please always ask me before you change a colour though, Odile is particular about them.",
        replies: [
          {
            say: "Understood: no colour changes without asking you first. Shall I put in the warmer amber, 255/140/0?",
          },
        ],
      },
      {
        user: "Yes, that one you may.",
        replies: [
          {
            calls: [
              [
                "write_file",
                {
                  path: "lamp/colours.md",
                  content:
                    "amber = 255/140/0 (agreed with Ines), blue = 0/90/255.\nNo red, not even for faults: a fault is two slow blinks in blue.\nEvery change of colour is asked first.\n",
                },
              ],
              ["check", {}],
            ],
          },
          { say: "lamp/colours.md holds both colours; the check passes." },
        ],
      },
      {
        user: "Show me the spring tide in the new amber. And read me the bench notes again, I put the iron away too hot.",
        replies: [
          {
            calls: [
              ["preview", { day: "2027-03-20" }],
              ["read_file", { path: "notes/bench.md" }],
            ],
          },
          {
            say: "The spring tide takes the column from its sixth LED up to nearly nine tenths. And the iron: 350 degrees, no hotter, or the pads lift.",
          },
        ],
      },
      {
        user: "The shelf test ends on Sunday. What is still open?",
        replies: [
          {
            say: "Three things: the felt under the foot, the year's table written to the board, and a card for Odile with what the colours mean.",
          },
        ],
      },
      {
        user: "Write the card! Short, she reads it without glasses.",
        replies: [
          {
            calls: [
              [
                "write_file",
                {
                  path: "lamp/card.md",
                  content:
                    "Dear Odile,\n\nthe lamp is the harbour.\nHigh and blue: the boats swim.\nLow and amber: the boats sit.\nThe waves at the top tell you where it is going.\n\nIf it blinks twice, call Bea.\n",
                },
              ],
            ],
          },
          { say: "Five lines in lamp/card.md, in words one can read from across the counter." },
        ],
      },
      {
        user: "She will cry. Save a list of everything with its place too, for whoever repairs it in ten years.",
        replies: [
          {
            calls: [
              [
                "write_file",
                {
                  path: "lamp/README.md",
                  content:
                    "# The tide lamp\n\nplan.md what and why; parts.md what it is made of; pins.md where the wires go; config.json pins, brightness, colours;\nmain.js the firmware; table.md the year's table; colours.md the two colours; card.md for Odile; ../notes/february.md once a year.\n\nIf it stays dark: the supply (5 V, 3 A), then the loose USB port of heron-2, then the level shifter.\nIf the time is off: hold the button three seconds and tap the hours.\n",
                },
              ],
            ],
          },
          {
            say: "lamp/README.md names every file and, for the one in ten years, what to look at first when it stays dark.",
          },
        ],
      },
      {
        user: "Last check before we carry it over?",
        replies: [
          { calls: [["check", {}]] },
          {
            calls: [
              ["preview", { day: "2027-03-14" }],
              ["read_file", { path: "lamp/colours.md" }],
            ],
          },
          {
            say: "All passes: 48 LEDs on pin 21, the button on 18, 1440 mA of 3000. The preview of the evening is blue and high. It is ready for the quay.",
          },
        ],
      },
    ],
  },
  {
    title: "Carrying it over",
    scenes: [
      {
        user: "The tube is in the foot, Tomas glued it. He asks whether the glue can take the sun in the window.",
        replies: [
          {
            calls: [
              ["search_parts", { words: "acrylic" }],
              ["search_parts", { words: "glue" }],
            ],
          },
          {
            say: "The shop sells no glue, but the tube is acrylic: a two-part epoxy holds on roughened acrylic and stands 60 degrees, which no café window reaches.",
          },
        ],
      },
      {
        user: "He used epoxy. How long shall we leave it?",
        replies: [
          {
            say: "A day before it is moved, three before it is knocked. Keep it upright and out of the draught.",
          },
        ],
      },
      {
        user: "Then we carry it on the 13th, a day early, and hide it under the counter behind the flour.",
        replies: [
          {
            calls: [
              [
                "write_file",
                {
                  path: "notes/carry.md",
                  content:
                    "On the 13th, after closing: Tomas carries, Ines has the key to the back door.\nUnder the counter, behind the flour. Plug: left socket, the right one is switched with the coffee machine.\n",
                },
              ],
            ],
          },
          {
            say: "It is in notes/carry.md, with the warning about the right-hand socket, which is switched with the coffee machine.",
          },
        ],
      },
      {
        user: "How did you know about the socket? Never mind, it is true. One more look at the tide for that night, please.",
        replies: [
          {
            calls: [["tide_table", { station: "PS-0417", from: "2027-03-13", days: 1, step: 15 }]],
          },
          {
            say: "I guessed it from cafés in general, which was bold; good that it is true. The table for the night is above: you can carry it dry-footed along the slip at low water.",
          },
        ],
      },
      {
        user: "And draw the weekend after the party as well, she will want to show it to everyone.",
        replies: [
          {
            calls: [
              ["preview", { day: "2027-03-20" }],
              ["preview", { day: "2027-03-21" }],
            ],
          },
          {
            say: "Both days are drawn; the tides move about fifty minutes later each day, so she will have high water a little later every evening.",
          },
        ],
      },
      {
        user: "Thank you. That is all until the party.",
        replies: [{ say: "It was a pleasure. Carry it upright, and enjoy the evening." }],
      },
    ],
  },
];
