import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stem } from "../src/text/stem.ts";
import { queryTerms, terms } from "../src/text/terms.ts";

describe("stems", () => {
  it("are Porter's", () => {
    const pairs =
      "caresses caress ponies poni ties ti cats cat feed feed agreed agre plastered plaster bled bled motoring motor sing sing conflated conflat troubled troubl sized size hopping hop " +
      "tanned tan falling fall hissing hiss fizzed fizz failing fail filing file happy happi sky sky relational relat conditional condit rational ration digitizer digit " +
      "vietnamization vietnam predication predic operator oper feudalism feudal decisiveness decis hopefulness hope callousness callous formality formal sensibility sensibl " +
      "triplicate triplic formative form electricity electr electrical electr hopeful hope goodness good revival reviv allowance allow inference infer airliner airlin " +
      "adjustable adjust defensible defens irritant irrit replacement replac adoption adopt communism commun activate activ effective effect bowdlerize bowdler " +
      "probate probat rate rate cease ceas controll control roll roll";
    const words = pairs.split(" ");
    for (let at = 0; at < words.length; at += 2) expect(stem(words[at]!), words[at]).toBe(words[at + 1]);
  });
});

describe("terms", () => {
  it("hold no white space, no underscore, no quote, and are the same in every case and form", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const term of terms(text)) expect(term).toMatch(/^[^\s_"']{1,64}$/);
        expect(terms(text.normalize("NFD"))).toEqual(terms(text.normalize("NFC")));
      }),
      { numRuns: 1_000 },
    );
  });

  it("of a question are a part of those of a text with the same words", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const known = new Set(terms(text));
        for (const { term } of queryTerms(text)) expect(known.has(term), term).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("of a question leave out what says nothing, in English and in Chinese", () => {
    const asked = (text: string) => queryTerms(text).map(({ term, loose }) => (loose ? `(${term})` : term));
    expect(asked("What is my cat's name, and where's it?")).toEqual(["cat", "name"]);
    expect(asked("我的猫叫什么")).toEqual(["(的猫)", "猫叫", "(叫什)"]);
    expect(asked("这个很重要吗")).toEqual(["重", "(很重)", "(重要)"]);
    expect(asked("don't you're what’s")).toEqual([]);
  });
});
