import type { Chapter } from "./script.ts";

export const planning: readonly Chapter[] = [
  {
    title: "A present for Odile",
    scenes: [
      {
        user: "Hello! I want to build a lamp that shows the tide. It is a present for my aunt Odile, who runs the café on the quay. The lamp is unveiled on 14 March, the evening she turns 80.",
        replies: [
          {
            think:
              "A present with a fixed date. I should ask for the constraints before proposing anything: where it stands, what it may cost, what it must not do.",
            say: "What a lovely present. Before we choose anything: where will it stand, what may it cost, and is there something it must not do?",
          },
        ],
      },
      {
        user: "It stands in the window, so people on the quay can read it. The budget for the lamp is 85 euro, everything included. And the lamp must never show red: red light on the quay means distress, and the lifeboat crew would come running.",
        replies: [
          {
            think:
              "Colours: amber for low water and blue for high water would be safe. Budget is tight but possible.",
            say: "Then amber for low water and blue for high water, and no red anywhere. A column of LEDs that fills like a tide gauge should fit the budget.",
          },
        ],
      },
      {
        user: "A column, yes! The tide station for the harbour is PS-0417. There is no network in the café, so the lamp has to carry its own tide table. Have a look what the station gives.",
        replies: [
          {
            say: "I will ask for one day, every quarter of an hour, to see the range.",
            calls: [["tide_table", { station: "PS-0417", from: "2027-03-14", days: 1, step: 15 }]],
          },
          {
            say: "That day the water moves between one and a half and four and a half metres, so a scale from 0 to 6 metres will never run off the lamp. I will keep PS-0417 as the station.",
          },
        ],
      },
      {
        user: "And what is lying on the bench? I think I left notes there.",
        replies: [
          {
            say: "Let me read everything at once.",
            calls: [
              ["read_file", { path: "notes/bench.md" }],
              ["read_file", { path: "notes/lights.md" }],
              ["read_file", { path: "lamp/README.md" }],
            ],
          },
          {
            say: "The bench notes say the board is labelled heron-2, its USB port is loose, and the iron stays at 350 degrees. The harbour's page about lights confirms what you said of red. The project itself is still empty.",
          },
        ],
      },
      {
        user: "Right, heron-2 is the board we will use. Please write the plan down so that I can show it to my brother Tomas, he does the woodwork.",
        replies: [
          {
            calls: [
              [
                "write_file",
                {
                  path: "lamp/plan.md",
                  content:
                    "# The tide lamp\n\nFor: Odile, unveiled on 14 March in the window of the café.\nBoard: heron-2. Station: PS-0417, table carried on board, no network.\nShape: a frosted column of LEDs that fills and empties with the water, 0 to 6 metres.\nColours: amber at low water, blue at high water, never red.\nBudget: 85 euro.\nWoodwork: Tomas. Electronics and code: Ines.\n\n## Steps\n1. Choose the parts and stay under the budget.\n2. Wire the strip, the button and the clock.\n3. Configuration, then firmware, then the table for a year.\n4. Foot of oak, cable out at the back.\n5. A week on the shelf before it goes to the quay.\n",
                },
              ],
            ],
          },
          { say: "The plan is in lamp/plan.md, one page, with five steps and your names on it." },
        ],
      },
    ],
  },
  {
    title: "Shopping with 85 euro",
    scenes: [
      {
        user: "Now the parts. Look for strips, power supplies and clocks.",
        replies: [
          {
            think: "Three independent searches; they can run side by side.",
            say: "Three searches side by side.",
            calls: [
              ["search_parts", { words: "strip" }],
              ["search_parts", { words: "supply" }],
              ["search_parts", { words: "clock" }],
            ],
          },
          {
            say: "LED-48 with PSU-5V3 is the sensible pair: 48 LEDs draw at most 2.4 A and that supply is quiet. The better clock, RTC-3231, is out of stock; RTC-8523 drifts about a minute a month.",
          },
        ],
      },
      {
        user: "A minute a month is fine, the button can set it. And something frosted to put the strip in? I was thinking of a lantern.",
        replies: [
          {
            calls: [
              ["search_parts", { words: "lantern" }],
              ["search_parts", { words: "frosted" }],
              ["search_parts", { words: "button" }],
            ],
          },
          {
            say: "No lanterns there, but two frosted tubes: 90 cm with one left and 60 cm with five. The strip is 80 cm long, so it has to be TUBE-90. The brass button BTN-16 is splash-proof.",
          },
        ],
      },
      {
        user: "Take the 90 one then, before it is gone. What does it come to?",
        replies: [
          {
            think: "14.90 + 11.20 + 4.10 + 18.60 + 5.40 + 2.30 = 56.50.",
            say: "LED-48 14.90, PSU-5V3 11.20, RTC-8523 4.10, TUBE-90 18.60, BTN-16 5.40 and the level shifter LVL-74 2.30: together 56.50 euro. That leaves 28.50 for oak, cable and screws.",
          },
        ],
      },
      {
        user: "Good. I decided to order exactly that, and the shop's order number is SO-88213. It should be here on Thursday.",
        replies: [
          {
            calls: [
              [
                "write_file",
                {
                  path: "lamp/parts.md",
                  content:
                    "# Parts, order SO-88213\n\n| code | what | euro |\n|---|---|---|\n| LED-48 | strip, 48 LEDs, 80 cm | 14.90 |\n| PSU-5V3 | supply 5 V 3 A | 11.20 |\n| RTC-8523 | clock, a minute a month | 4.10 |\n| TUBE-90 | frosted tube, 90 cm | 18.60 |\n| BTN-16 | brass button | 5.40 |\n| LVL-74 | level shifter | 2.30 |\n| | **together** | **56.50** |\n\nLeft of 85 euro: 28.50 for oak, cable and screws.\n",
                },
              ],
            ],
          },
          { say: "Noted in lamp/parts.md with the order number SO-88213." },
        ],
      },
      {
        user: "Tomas asks how thick the foot has to be so that the thing does not fall over when somebody slams the door.",
        replies: [
          {
            think:
              "A 90 cm tube, 5 cm wide, perhaps 700 g with strip. Tipping: a foot of 18 cm and 2 kg puts the tipping angle above 10 degrees.",
            say: "A round foot of oak, 18 cm across and 5 cm thick, weighs about 900 g; with a steel plate of 1 kg under it the column can lean eleven degrees before it tips. Felt beneath, so it does not creep.",
          },
        ],
      },
      {
        user: "He has oak from the old boathouse door, he will take that. It is 48 mm thick, close enough.",
        replies: [
          {
            say: "Better than bought: a piece of the harbour in it. 48 mm is enough for the foot, and the oak costs nothing, so 28.50 euro stay for the plate, the cable and the screws.",
          },
        ],
      },
    ],
  },
];
