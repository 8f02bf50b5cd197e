import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropic } from "../src/dialect/anthropic.ts";
import { foundIn } from "../src/distil/lasting.ts";
import { type Message } from "../src/model/request.ts";

const user = (content: unknown): Message => ({ role: "user", content });
const agent = (content: unknown): Message => ({ role: "assistant", content });
const HELLO = [user("Hello there."), agent("Hi, what can I do?")];
const ELSEWHERE = [user("And how is the weather?"), agent("It rains, and the wind comes from the west.")];

const openIn = (messages: readonly Message[], previous?: string): string[] =>
  foundIn({ dialect: anthropic, messages, ...(previous === undefined ? {} : { previous }) }).flatMap(({ kind, text }) => (kind === "open" ? [text] : []));
const stays = (asked: string, ...after: Message[]): boolean => openIn([...HELLO, user(asked), ...after, ...ELSEWHERE]).some((text) => text.includes(asked.slice(0, 12)));

const REQUESTS = [
  "Please order forty new chairs for the hall.", "Could you measure the north window?", "Can you find a plumber for Saturday?", "I need a summary of the tenancy agreement.", "write the obituary for the harbour paper",
  "Bitte bestelle die Ersatzteile für den Motor.", "Könntest du die Rechnung prüfen?", "请把合同发给王经理。", "帮我查一下明天的航班。",
];
const NODS = ["Sure.", "Okay, noted.", "Understood!", "Will do.", "On it.", "Of course, happy to.", "Got it, thanks.", "Alles klar.", "Notiert.", "好的。", "收到，没问题。"];
const PROMISES = [
  "I'll do that tomorrow.", "Sure, you will have it by Friday, I'll see to it.", "Let me look into it and get back to you.", "I'm going to try this afternoon.", "Working on it now.", "I have put it on my list.", "Will get it done, give me an hour.",
  "Mache ich heute Abend.", "Ich kümmere mich morgen darum.", "我稍后处理。", "马上去办。",
];
const NOT_YET = ["I can't do that right now, I'll try again later.", "Not yet, I'm afraid.", "I'm unable to reach them at the moment.", "Sorry, the office is closed today. I will call again on Monday.", "Das geht gerade leider nicht.", "暂时无法处理。"];

describe("a request", () => {
  it("stays open behind a nod, a promise or a \"not yet\", whatever is spoken of next", () => {
    for (const asked of REQUESTS) for (const reply of [...NODS, ...PROMISES, ...NOT_YET]) expect(stays(asked, agent(reply)), `${asked} | ${reply}`).toBe(true);
  });

  it("stays open behind any string of such sentences", () => {
    const reply = fc.array(fc.constantFrom(...NODS, ...PROMISES), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(" "));
    fc.assert(fc.property(fc.constantFrom(...REQUESTS), reply, (asked, said) => stays(asked, agent(said))), { numRuns: 200 });
  });

  it.each([
    ["Please order forty new chairs for the hall.", "Ordered. They come on Tuesday."],
    ["Please order forty new chairs for the hall.", "Done."],
    ["Please order forty new chairs for the hall.", "I've ordered the chairs. I'll tell you when they come."],
    ["Could you measure the north window?", "It is 1.20 m wide and 0.90 m high."],
    ["Can I cancel a ticket of the cheapest fare?", "Tickets of the cheapest fare cannot be cancelled once they are paid."],
    ["Cancel my ticket, it is of the cheapest fare.", "I'm unable to cancel tickets of the cheapest fare: its rules exclude it."],
    ["Is the port 8443?", "Yes."],
    ["When will you call them?", "I'll call them on Monday at nine."],
    ["Write two lines about rain.", "Sure!\nIt taps the roof all night,\nand leaves the garden bright."],
    ["Könntest du die Rechnung prüfen?", "Die Rechnung ist geprüft, sie stimmt."],
    ["帮我查一下明天的航班。", "明天有三班：八点、十二点和十八点。"],
  ])("%s is dealt with by: %s", (asked, reply) => {
    expect(stays(asked, agent(reply))).toBe(false);
  });

  it("that was promised is dealt with by what is about it: words, or calls and a report", () => {
    const asked = "Please order forty new chairs for the hall.";
    expect(stays(asked, agent("Will do."), user("Any news of the chairs?"), agent("The chairs are ordered."))).toBe(false);
    expect(stays(asked, agent("Will do."), user("How tall is the hall?"), agent("Eleven metres."))).toBe(true);
    const call = [agent([{ type: "tool_use", id: "a", name: "place_order", input: { item: "chairs", count: 40, room: "hall" } }]), user([{ type: "tool_result", tool_use_id: "a", content: "ok" }])];
    expect(stays(asked, agent("Will do."), user("Go on."), ...call, agent("That is through."))).toBe(false);
    expect(stays(asked, ...call, agent("All right."))).toBe(false);
    const failed = [call[0] as Message, user([{ type: "tool_result", tool_use_id: "a", content: "Error: sold out", is_error: true }])];
    expect(stays(asked, ...failed, agent("I'll try another shop tomorrow."))).toBe(true);
  });

  it("of two words that stood in the last summary is not dealt with by talk of other things", () => {
    const before = "## Open requests\n- Book the ferry.";
    expect(openIn(ELSEWHERE, before)).toEqual(["Book the ferry."]);
    expect(openIn([user("And the ferry?"), agent("The ferry is booked for ten.")], before)).toEqual([]);
  });

  it("is no rule, no taste and no news: those are heard, and kept as what they are", () => {
    for (const said of ["Always answer in metric units, please.", "I prefer short answers.", "My flight leaves at five.", "Thanks a lot!"]) expect(openIn([...HELLO, user(said), agent("Understood."), ...ELSEWHERE]), said).toEqual([]);
  });

  it("does not pile up: what was answered leaves, and of very many the oldest are waited for no longer", () => {
    const answered = Array.from({ length: 300 }, (_, at) => [user(`Please paint door ${at} green.`), agent(`Door ${at} is painted.`)]).flat();
    expect(openIn(answered)).toEqual([]);
    const promised = Array.from({ length: 300 }, (_, at) => [user(`Please paint door ${at} green.`), agent("Will do.")]).flat();
    expect(openIn(promised).length).toBeLessThanOrEqual(41);
  });
});
