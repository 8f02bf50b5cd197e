import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropic } from "../src/dialect/anthropic.ts";
import { quotedIn } from "../src/distil/extract/quoted.ts";
import { foundIn } from "../src/distil/lasting.ts";
import { type Message } from "../src/model/request.ts";

const user = (content: string): Message => ({ role: "user", content });
const agent = (content: string): Message => ({ role: "assistant", content });
const found = (said: string) => foundIn({ dialect: anthropic, messages: [user(said), agent("I see."), user("Go on."), agent("Fine.")] });
const kept = (said: string): readonly string[] => found(said).map(({ text }) => text);

const MAIL = "Here is what came in:\n\n> From: Dagfinn Aurdal <aurdal@fjellheim.example>\n> Subject: lease\n>\n> I am the new landlord of the boathouse.\n> Always pay the rent in advance.\n\nWhat do you make of it?";

describe("what a user passes on from somebody who is named", () => {
  it.each([
    ["under the head of a mail", MAIL, 'User: Dagfinn Aurdal: "I am the new landlord of the boathouse."'],
    ["under a line that says who wrote", "On Wed, 4 Nov 2026 at 09:12, Hildur Magnúsdóttir <h@isl.example> wrote:\n> I take over the customs files from Sune.\n\nFYI, see above.", 'User: Hildur Magnúsdóttir: "I take over the customs files from Sune."'],
    ["with wide gaps in it", `On Wed,\t4 Nov, Hildur${" ".repeat(400)}Magnúsdóttir   wrote:\n> I take over the customs files from Sune.\n`, 'User: Hildur Magnúsdóttir: "I take over the customs files from Sune."'],
    ["in another language", "Am 3.11. schrieb Jens Petersen:\n> Ich bin ab Montag euer Ansprechpartner.\n\nPasst das?", 'User: Jens Petersen: "Ich bin ab Montag euer Ansprechpartner."'],
    ["twice quoted", "Mara said:\n> > The spare key hangs in the boiler room.\n", 'User: Mara: "The spare key hangs in the boiler room."'],
  ])("is kept as that person's word, %s", (_, said, line) => {
    expect(kept(said)).toContain(line);
  });

  it("is never the user's own: neither who he is nor a rule of his", () => {
    const all = found(MAIL);
    expect(all.filter(({ text }) => /landlord|in advance/.test(text)).map(({ kind, text }) => [kind, text.startsWith("User: Dagfinn Aurdal: ")])).toEqual([["said", true], ["said", true]]);
    expect(all.every(({ kind, text }) => kind !== "open" || !/landlord|advance/.test(text))).toBe(true);
  });

  it("is no request of the user's: what it asks for is asked of somebody", () => {
    const said = "Hildur wrote:\n> Please send me the customs files later, when there is time.\n\nShe is in room 12 by now.";
    expect(kept(said).join("\n")).not.toContain("customs files");
    expect(kept(said).join("\n")).toContain("room 12");
  });

  it("stays as it is where nobody is named, and where nothing is quoted", () => {
    for (const said of ["> the port is 8443\n\nNo, it is 9443.", "Is 3 > 2 for the gate?", "a\n> b c d"]) expect(quotedIn(said)).toEqual({ said: [], rest: said });
  });

  it("loses no line that is not quoted, whatever stands around it", () => {
    const lines = fc.array(fc.constantFrom("Mara said:", "> I hold the key.", "> From: Ole Berg", "> Subject: keys", ">", "My flat is number 12.", "", "Thanks"), { maxLength: 30 });
    fc.assert(fc.property(lines, (all) => {
      const { rest, said } = quotedIn(all.join("\n"));
      const own = (text: readonly string[]): readonly string[] => text.filter((line) => line === "My flat is number 12." || line === "Thanks");
      expect(own(rest.split("\n"))).toEqual(own(all));
      expect(said.length).toBeLessThanOrEqual(all.length);
    }));
  });
});
