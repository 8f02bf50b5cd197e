import type { Chapter } from "./script.ts";

const config = (data: number, brightness: number): string =>
  JSON.stringify(
    {
      board: "heron-2",
      station: "PS-0417",
      leds: 48,
      dataPin: data,
      buttonPin: 18,
      brightness,
      colours: { low: "amber", high: "blue" },
      scaleMetres: [0, 6],
    },
    undefined,
    2,
  );

const FIRMWARE = `// The tide lamp: reads the height for this minute from the table and fills the column.
import { strip, button, clock, flash } from "board";
import config from "./config.json";
import { heights } from "./table.bin";

const MINUTE = 60_000;
const start = Date.UTC(2027, 2, 1);
const [lowest, highest] = config.scaleMetres;

/** Metres now: the table has a row every quarter of an hour, straight lines between. */
function heightNow(time) {
  const place = (time - start) / (15 * MINUTE);
  const before = heights[Math.floor(place)];
  const after = heights[Math.ceil(place)];
  return before + (after - before) * (place % 1);
}

/** Four LEDs breathe at the surface, upwards when the water rises. */
function draw(time) {
  const metres = heightNow(time);
  const share = (metres - lowest) / (highest - lowest);
  const lit = Math.max(1, Math.round(share * config.leds));
  const rising = heightNow(time + MINUTE) > metres;
  const colour = metres < 2 ? config.colours.low : config.colours.high;
  strip.clear();
  for (let led = 0; led < lit; led++) strip.set(led, colour, config.brightness);
  for (let wave = 0; wave < 4; wave++) {
    const led = rising ? lit - 4 + wave : lit - wave;
    strip.set(led, colour, config.brightness * (0.4 + 0.6 * Math.abs(Math.sin(time / 900 + wave))));
  }
  strip.show();
}

button.onHold(3_000, () => clock.setFromTaps(button));
button.onPress(() => flash.write("dim", config.brightness === 0.9 ? 0.3 : 0.9));
setInterval(() => draw(clock.now()), 50);
`;

export const building: readonly Chapter[] = [
  {
    title: "Wires, and a mistake",
    scenes: [
      {
        user: "The parcel is here! I soldered the strip: the LED data line is on GPIO 18. The button is not wired yet.",
        replies: [
          {
            say: "Then I write the first configuration with the data line on 18.",
            calls: [
              ["write_file", { path: "lamp/config.json", content: config(18, 1) }],
              ["check", {}],
            ],
          },
          {
            think:
              "The check found a conflict: the file already gives pin 18 to the button. I should ask, not guess.",
            say: "The check complains: in my draft the button sits on pin 18 too, so pin 18 would be used twice. Which of them is really on 18?",
          },
        ],
      },
      {
        user: "No, I was wrong, I read the board upside down: the LED data line is on GPIO 21, and GPIO 18 is for the button.",
        replies: [
          {
            say: "Thank you, data line on 21 and button on 18.",
            calls: [
              ["write_file", { path: "lamp/config.json", content: config(21, 1) }],
              ["check", {}],
            ],
          },
          {
            say: "Corrected and checked: 48 LEDs on pin 21, button on pin 18, 2400 mA of 3000 mA.",
          },
        ],
      },
      {
        user: "It is awfully bright on the bench. Could you turn it down a bit?",
        replies: [
          { calls: [["write_file", { path: "lamp/config.json", content: config(21, 0.6) }]] },
          { calls: [["check", {}]] },
          {
            say: "Brightness 0.6 now, which is 1440 mA. In the window by day you may want more; the button could switch.",
          },
        ],
      },
      {
        user: "Show me how it would look on the day of the party, on the day after, and at a spring tide.",
        replies: [
          {
            calls: [
              ["preview", { day: "2027-03-14" }],
              ["preview", { day: "2027-03-15" }],
              ["preview", { day: "2027-03-20" }],
            ],
          },
          {
            say: "Three days, drawn every quarter of an hour. At eight in the evening of the party the column is blue and stands well above the middle.",
          },
        ],
      },
      {
        user: "Oh that is pretty. Is there a file with the pin layout of the board? lamp/pins.md maybe.",
        replies: [
          { calls: [["read_file", { path: "lamp/pins.md" }]] },
          { say: "There is no such file. Shall I write one, now that we know the pins?" },
        ],
      },
      {
        user: "Yes please, Tomas will need it when he drills the foot.",
        replies: [
          {
            calls: [
              [
                "write_file",
                {
                  path: "lamp/pins.md",
                  content:
                    "# Pins of heron-2\n\n| pin | goes to | wire |\n|---|---|---|\n| GPIO 21 | LED data, through LVL-74 | green |\n| GPIO 18 | button, to ground | white |\n| GPIO 6 | clock SDA | yellow |\n| GPIO 7 | clock SCL | orange |\n| 5V | strip and level shifter | brown, 1.5 mm2 |\n| GND | everything | blue, 1.5 mm2 |\n\nThe cable leaves at the back, 8 mm hole, 15 mm above the table.\nThe button sits in front, 16 mm hole, on the middle line.\n",
                },
              ],
            ],
          },
          {
            say: "lamp/pins.md is there, with wire colours, and the two holes Tomas has to drill: 8 mm at the back, 16 mm in front.",
          },
        ],
      },
    ],
  },
  {
    title: "A year of water",
    scenes: [
      {
        user: "Now the firmware. It should move a little, so that one sees whether the water is coming or going.",
        replies: [
          {
            think:
              "Interpolate between quarter hours; a gentle wave at the surface shows the direction. No red can appear because colours come from the configuration.",
            calls: [["write_file", { path: "lamp/main.js", content: FIRMWARE }]],
          },
          {
            say: "lamp/main.js fills the column and lets four LEDs breathe at the surface, upwards when the water rises. It expects a table with a row every quarter of an hour.",
          },
        ],
      },
      {
        user: "Fetch the real table then, a good long piece, so that we can see how big it gets on the board.",
        replies: [
          {
            say: "First a try with the neighbouring station for comparison, and nineteen days of ours at a quarter of an hour.",
            calls: [
              ["tide_table", { station: "PS-0418", from: "2027-03-01", days: 19, step: 15 }],
              ["tide_table", { station: "PS-0417", from: "2027-03-01", days: 19, step: 15 }],
            ],
          },
          {
            think:
              "PS-0418 does not exist. The other table is long: 1824 rows. As text far too large; as bytes, one per row in centimetres/3 would do.",
            say: "PS-0418 does not exist, never mind. Ours gives 96 rows a day: as text a year would be about a megabyte, but as one byte a row it is 35040 bytes, which fits the board easily.",
          },
        ],
      },
      {
        user: "35 kilobytes, excellent. How exact is one byte?",
        replies: [
          {
            say: "One byte has 256 steps; over 6 metres that is 2.4 centimetres a step. The lamp has 48 LEDs, 12.5 centimetres each, so the byte is five times finer than what anyone can see.",
          },
        ],
      },
      {
        user: "Then do it like that and describe the format, please.",
        replies: [
          {
            calls: [
              [
                "write_file",
                {
                  path: "lamp/table.md",
                  content:
                    "# table.bin\n\nOne byte for every quarter of an hour, from 2027-03-01 00:00 UTC, for a year: 35040 bytes.\nmetres = byte * 6 / 255. Straight lines between the rows.\nMade from station PS-0417. To be made anew every February; the lamp blinks twice in blue when less than 30 days are left.\nTime is UTC on board; Port Sorrel is an hour ahead in winter, but the tide does not care.\n",
                },
              ],
              ["read_file", { path: "lamp/config.json" }],
            ],
          },
          {
            say: "Described in lamp/table.md. The lamp will blink twice in blue when fewer than 30 days of table are left, so nobody has to remember February.",
          },
        ],
      },
      {
        user: "Who will make the new table in February if I am away? Write down that it is Bea's job, she studies oceanography and is here every winter.",
        replies: [
          { calls: [["read_file", { path: "lamp/table.md" }]] },
          {
            calls: [
              [
                "write_file",
                {
                  path: "notes/february.md",
                  content:
                    "Every February Bea makes the new table: station PS-0417, 366 days, a row every quarter of an hour.\nSteps: fetch, divide by 6, times 255, round, write table.bin, hold the button while plugging in.\n",
                },
              ],
            ],
          },
          { say: "notes/february.md says it is Bea's job, with the steps." },
        ],
      },
      {
        user: "Does the whole thing still pass?",
        replies: [
          {
            calls: [
              ["check", {}],
              ["preview", { day: "2027-09-30" }],
            ],
          },
          {
            say: "It passes, and the preview for the end of September draws a full day without running off the scale.",
          },
        ],
      },
    ],
  },
];
