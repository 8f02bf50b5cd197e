/** What a model keeps of the story when it is asked to distil, beside the words that told it. Played, like its replies. */
export interface Worth {
  /** Part of the user's message that tells it. */
  readonly said: string;
  readonly content: string;
  readonly category: string;
  readonly importance: number;
  /** What was remembered before and is no longer true. */
  readonly supersedes?: string;
}

const GPIO_18 = "The LED data line is on GPIO 18.";

export const WORTH: readonly Worth[] = [
  {
    said: "a present for my aunt Odile",
    content: "The lamp is a present for Ines's aunt Odile, who runs the café on the quay.",
    category: "general",
    importance: 0.8,
  },
  {
    said: "unveiled on 14 March",
    content: "The lamp is unveiled on 14 March, the evening Odile turns 80.",
    category: "general",
    importance: 0.8,
  },
  {
    said: "The budget for the lamp",
    content: "The budget for the lamp is 85 euro, everything included.",
    category: "decision",
    importance: 0.7,
  },
  {
    said: "must never show red",
    content: "The lamp must never show red: red light on the quay means distress.",
    category: "decision",
    importance: 0.9,
  },
  {
    said: "PS-0417",
    content: "The tide station for the harbour is PS-0417.",
    category: "general",
    importance: 0.7,
  },
  {
    said: "no network in the café",
    content: "There is no network in the café, so the lamp carries its own tide table.",
    category: "decision",
    importance: 0.7,
  },
  {
    said: "heron-2 is the board",
    content: "The board of the lamp is heron-2; Ines's brother Tomas does the woodwork.",
    category: "decision",
    importance: 0.6,
  },
  {
    said: "SO-88213",
    content: "The parts were ordered under the shop's number SO-88213.",
    category: "general",
    importance: 0.5,
  },
  {
    said: "oak from the old boathouse door",
    content: "The foot is 48 mm of oak from the old boathouse door.",
    category: "decision",
    importance: 0.5,
  },
  { said: "on GPIO 18. The button", content: GPIO_18, category: "general", importance: 0.6 },
  {
    said: "I read the board upside down",
    content: "The LED data line is on GPIO 21, and GPIO 18 is for the button.",
    category: "general",
    importance: 0.7,
    supersedes: GPIO_18,
  },
  {
    said: "Now the firmware",
    content: "The light moves a little, so that one sees whether the water is coming or going.",
    category: "decision",
    importance: 0.5,
  },
  {
    said: "it is Bea's job",
    content: "Bea makes the new tide table each February, when Ines is away.",
    category: "decision",
    importance: 0.6,
  },
  {
    said: "ask me before you change a colour",
    content: "Ask Ines before changing a colour: Odile is particular about them.",
    category: "preference",
    importance: 0.8,
  },
  {
    said: "carry it on the 13th",
    content:
      "The lamp is carried to the café on 13 March and hidden under the counter behind the flour.",
    category: "decision",
    importance: 0.6,
  },
];
