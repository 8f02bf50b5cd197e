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

const PUT_OFF = [
  "When you get around to it, please oil the hinges of the garden gate.", "Please polish the brass plaque, but only once the painters are gone.", "Could you sketch a floor plan of the attic? No rush.", "Whenever you have a spare moment, please label the jars in the pantry.",
  "After the harvest, please service the cider press.", "Please write to the quarry about the gravel. Not today, though.", "It isn't urgent, but I'd like a list of the broken tiles.", "Remind me to renew the fishing licence.",
  "Bitte streich den Zaun am Kanal, aber erst nach dem Regen.", "Könntest du die Preise der Glaser vergleichen? Eilt nicht.", "Sobald der Keller trocken ist, bestell bitte neue Regale.", "Wenn du mal Zeit hast, entwirf bitte ein Logo für den Chor.",
  "有空的时候请整理一下书架。", "请把旧照片扫描存档，不急。", "等装修结束以后，请给房东写一封信。",
];
const ORDINARY = ["OK. Anything else?", "Sure, that can wait.", "The tide is out and the harbour is quiet.", "Take your time.", "Fine, whenever it suits.", "I have swept the yard and fed the hens.", "Gut. Sonst noch etwas?", "好的，还有什么需要吗？"];

describe("what was put off", () => {
  it("stays open behind every ordinary reply, also one that reports something else, and later ones", () => {
    for (const asked of PUT_OFF) for (const reply of [...ORDINARY, ...NODS, ...PROMISES, ...NOT_YET]) expect(stays(asked, agent(reply)), `${asked} | ${reply}`).toBe(true);
    const other = fc.array(fc.tuple(fc.constantFrom("Any news?", "How is the dog?", "Please feed the hens."), fc.constantFrom(...ORDINARY)), { maxLength: 6 });
    fc.assert(fc.property(fc.constantFrom(...PUT_OFF), other, (asked, turns) => stays(asked, agent("OK."), ...turns.flatMap(([said, reply]) => [user(said), agent(reply)]))), { numRuns: 150 });
  });

  it("is named with the request that \"Not now.\" belongs to", () => {
    const [open] = openIn([...HELLO, user("Please measure the boiler room. Not today, though."), agent("OK."), ...ELSEWHERE]);
    expect(open).toContain("boiler room");
    expect(openIn([...HELLO, user("Is the gate shut?"), agent("Yes. Shall I lock it?"), user("Not now."), agent("Fine."), ...ELSEWHERE])).not.toContain("Not now.");
  });

  it.each([
    ["When you get around to it, please oil the hinges of the garden gate.", "The hinges of the garden gate are oiled."],
    ["Please polish the brass plaque, but only once the painters are gone.", "I polished the brass plaque this morning."],
    ["Könntest du die Preise der Glaser vergleichen? Eilt nicht.", "Ich habe die Preise der Glaser verglichen."],
    ["请把旧照片扫描存档，不急。", "旧照片已经扫描存档了。"],
  ])("%s is dealt with, at once or later, by: %s", (asked, reply) => {
    expect(stays(asked, agent(reply))).toBe(false);
    expect(stays(asked, agent("OK."), user("Good morning."), agent(reply))).toBe(false);
  });

  it("is dealt with by an answer once it is asked for again, not by being listed", () => {
    const asked = "Could you compare the roofers Hale and Dunn later?";
    expect(stays(asked, agent("OK."), user("Now compare the roofers, please."), agent("Hale is cheaper by a third; Dunn, of the two roofers, gives ten years more."))).toBe(false);
    expect(stays(asked, agent("OK."), user("What is still open?"), agent("Comparing the roofers Hale and Dunn."))).toBe(true);
  });

  it("is dealt with by calls about it, and not by calls for the rest of the message", () => {
    const called = (input: object): Message[] => [agent([{ type: "tool_use", id: "a", name: "run", input }]), user([{ type: "tool_result", tool_use_id: "a", content: "ok" }])];
    const asked = "Please water the ferns. And later, please also repot the lemon tree.";
    expect(stays("Remind me to renew the fishing licence.", ...called({ reminder: "renew the fishing licence" }), agent("Noted."))).toBe(false);
    expect(openIn([...HELLO, user(asked), ...called({ plants: "ferns" }), agent("The ferns are watered."), ...ELSEWHERE])).toEqual(["And later, please also repot the lemon tree."]);
  });
});

describe("a request with a day to it", () => {
  it("is dealt with by an answer that has to do with it, by no other", () => {
    for (const asked of ["Please order the programme leaflets by Friday.", "Bitte bestell die Noten bis Montag.", "请在周五之前订好场地。"]) expect(stays(asked, agent("The choir sang well, and everyone went home early.")), asked).toBe(true);
    expect(stays("Please order the programme leaflets by Friday.", agent("Four hundred leaflets come on Thursday."))).toBe(false);
    expect(stays("Please find trains to Oslo for next week.", agent("Trains leave at nine, at noon and at six."))).toBe(false);
  });
});

describe("a request that is taken back", () => {
  it.each([
    ["Please order forty new chairs for the hall.", "Never mind the chairs for the hall."],
    ["Whenever you have a spare moment, please label the jars in the pantry.", "I've labelled the jars in the pantry myself."],
    ["Wenn du mal Zeit hast, entwirf bitte ein Logo für den Chor.", "Das Logo für den Chor hat sich erledigt."],
    ["有空的时候请整理一下书架。", "书架不用整理了。"],
  ])("%s is not waited for after: %s", (asked, back) => {
    expect(stays(asked, agent("Will do."), user("How is the dog?"), agent("Asleep."), user(back), agent("Fine."))).toBe(false);
  });

  it("is another's only in words about it", () => {
    expect(stays("Please order forty new chairs for the hall.", agent("Will do."), user("Never mind the piano."), agent("Fine."))).toBe(true);
    expect(stays("Please order forty new chairs for the hall.", agent("Will do."), user("Don't forget the chairs for the hall."), agent("OK."))).toBe(true);
  });
});
