import { rowsFrom, STATION } from "./tide.ts";

type Input = Readonly<Record<string, unknown>>;

/** Tools that really run, on files that live as long as the demo. What they throw goes back to the model as an error. */
export interface Workshop {
  readonly definitions: {
    name: string;
    description: string;
    input_schema: { type: "object"; properties: Record<string, object>; required: string[] };
  }[];
  run(name: string, input: Input): string;
}

const LIGHTS = `# Lights along the quay at Port Sorrel

Written down by the harbour office, for everyone who hangs something bright into a window.

## What the boats look for
- The two leading lights are white and stand behind each other when a boat is in the channel. Keep white lamps off the line between the crane and the chapel.
- Green and red at the pier heads: green to starboard when coming in, red to port. A steady red light anywhere else on the quay is read as distress.
- The lifeboat crew lives above the net loft. They watch the quay, not the radio. If they see red where none belongs they launch, and a launch costs the town a morning.

## What is welcome
- Warm light in the windows of the café and the bakery helps the walkers, who otherwise step on the nets.
- Amber and blue are free: no mark on the chart has them.
- Anything that moves should move slowly. Fast blinking is for the ambulance.

## What happened before
- A Christmas star with a red tail stood in the bakery for one evening. Two boats turned back, and the crew was on the water before the bread was out.
- A blue neon fish hangs at the chandler's since the sixties and nobody ever minded.
- Somebody put a white floodlight on the slip to paint his boat at night; the ferry called the office twice.

## If in doubt
Ask at the office between eight and ten, or leave the lamp on for one evening while somebody walks out on the pier and looks back.
`;

const PARTS = [
  [
    "LED-48",
    "strip, 48 addressable LEDs on 80 cm, 5 V, 2.4 A at full white, silicone sleeve",
    14.9,
    6,
  ],
  ["LED-144", "strip, 144 addressable LEDs on 100 cm, 5 V, 7 A at full white", 31.5, 2],
  ["PSU-5V3", "power supply 5 V 3 A, barrel plug, quiet, 2 m cable", 11.2, 12],
  ["PSU-5V10", "power supply 5 V 10 A, screw terminals, has a fan", 27.0, 3],
  ["RTC-3231", "real-time clock module, drifts under 2 minutes a year, coin cell included", 6.8, 0],
  ["RTC-8523", "real-time clock module, drifts about 1 minute a month, coin cell included", 4.1, 9],
  ["LVL-74", "level shifter 3.3 V to 5 V, four channels, for LED data lines", 2.3, 20],
  ["BTN-16", "push button, brass, 16 mm, momentary, splash-proof", 5.4, 7],
  ["TUBE-90", "acrylic tube, frosted, 90 cm, outer diameter 50 mm", 18.6, 1],
  ["TUBE-60", "acrylic tube, frosted, 60 cm, outer diameter 50 mm", 13.2, 5],
] as const;

export function createWorkshop(): Workshop {
  const files = new Map<string, string>([
    [
      "notes/bench.md",
      "Bench notes\n- The board in the drawer is labelled heron-2.\n- Its USB port is loose; use the one on the left of the hub.\n- Soldering iron: 350 degrees, no hotter, the pads lift.\n",
    ],
    ["notes/lights.md", LIGHTS],
    ["lamp/README.md", "A lamp that shows the tide. Nothing here yet.\n"],
  ]);

  const read = (path: string): string => {
    const text = files.get(path);
    if (text === undefined)
      throw new Error(
        `ENOENT: no file "${path}"; there are ${[...files.keys()].sort().join(", ")}`,
      );
    return text;
  };

  const tools: Record<
    string,
    {
      description: string;
      input: Record<string, "string" | "number">;
      run: (input: Input) => string;
    }
  > = {
    read_file: {
      description: "Reads a file of the project.",
      input: { path: "string" },
      run: ({ path }) => read(String(path)),
    },
    write_file: {
      description: "Writes a file of the project, replacing what was there.",
      input: { path: "string", content: "string" },
      run: ({ path, content }) => {
        if (!/^(?:lamp|notes)\//.test(String(path)))
          throw new Error(`EACCES: "${String(path)}" is outside lamp/ and notes/`);
        files.set(String(path), String(content));
        return `wrote ${String(path)}, ${String(content).length} characters`;
      },
    },
    search_parts: {
      description: "Searches the parts shop: code, description, price in euro, pieces in stock.",
      input: { words: "string" },
      run: ({ words }) => {
        const wanted = String(words).toLowerCase().split(/\s+/);
        const found = PARTS.filter(([code, text]) =>
          wanted.some((word) => `${code} ${text}`.toLowerCase().includes(word)),
        );
        if (found.length === 0) throw new Error(`nothing found for "${String(words)}"`);
        return found
          .map(
            ([code, text, price, stock]) =>
              `${code}: ${text}; ${price.toFixed(2)} euro; ${stock === 0 ? "out of stock" : `${stock} in stock`}`,
          )
          .join("\n");
      },
    },
    tide_table: {
      description: "Water height at a tide station, from a day on, a row every `step` minutes.",
      input: { station: "string", from: "string", days: "number", step: "number" },
      run: ({ station, from, days, step }) => {
        if (station !== STATION) throw new Error(`404: no tide station "${String(station)}"`);
        return rowsFrom(String(from), Number(days), Number(step))
          .map(
            ({ time, metres, rising }) =>
              `${time}  ${metres.toFixed(2)} m  ${rising ? "rising" : "falling"}`,
          )
          .join("\n");
      },
    },
    preview: {
      description:
        "Plays lamp/config.json against the tide of one day and draws the lamp every quarter of an hour.",
      input: { day: "string" },
      run: ({ day }) => preview(read("lamp/config.json"), String(day)),
    },
    check: {
      description: "Checks lamp/config.json against the board: pins, current, colours.",
      input: {},
      run: () => checked(read("lamp/config.json")),
    },
  };

  return {
    definitions: Object.entries(tools).map(([name, { description, input }]) => ({
      name,
      description,
      input_schema: {
        type: "object",
        properties: Object.fromEntries(Object.entries(input).map(([key, type]) => [key, { type }])),
        required: Object.keys(input),
      },
    })),
    run: (name, input) => {
      const tool = tools[name];
      if (!tool) throw new Error(`no tool "${name}"`);
      return tool.run(input);
    },
  };
}

interface Config {
  leds?: number;
  dataPin?: number;
  buttonPin?: number;
  brightness?: number;
  colours?: { low?: string; high?: string };
}

const configOf = (text: string): Config => JSON.parse(text) as Config;
/** mA of one LED at full white. */
const LED_CURRENT = 50;
const SUPPLY = 3_000;

function checked(text: string): string {
  const { leds = 0, dataPin, buttonPin, brightness = 1, colours = {} } = configOf(text);
  const current = leds * LED_CURRENT * brightness;
  const faults = [
    dataPin === buttonPin
      ? `pin ${String(dataPin)} is used for the LED data line and for the button`
      : "",
    current > SUPPLY
      ? `${leds} LEDs at brightness ${brightness} draw ${current} mA, the supply gives ${SUPPLY} mA`
      : "",
    Object.values(colours).includes("red")
      ? "a colour is red, and red on the quay means distress"
      : "",
  ].filter((fault) => fault !== "");
  if (faults.length > 0)
    throw new Error(
      `check failed:\n${faults.map((fault, index) => `${index + 1}. ${fault}`).join("\n")}`,
    );
  return `check passed: ${leds} LEDs on pin ${String(dataPin)}, button on pin ${String(buttonPin)}, ${current} mA of ${SUPPLY} mA`;
}

function preview(text: string, day: string): string {
  const { leds = 48, colours = {} } = configOf(text);
  return rowsFrom(day, 1, 15)
    .map(({ time, metres, rising }) => {
      const lit = Math.max(1, Math.round((Math.min(6, Math.max(0, metres)) / 6) * leds));
      const colour = metres < 2 ? (colours.low ?? "?") : (colours.high ?? "?");
      return `${time.slice(11)} ${metres.toFixed(2)} m ${rising ? "up  " : "down"} ${String(lit).padStart(2)}/${leds} ${"#".repeat(Math.round(lit / 2)).padEnd(leds / 2, ".")} ${colour}`;
    })
    .join("\n");
}
