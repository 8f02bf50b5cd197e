import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WeighedPiece } from "../../src/core/tokens/media.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { MEASURED_TEXTS, remembering } from "../../src/core/base.ts";
import { createCounter, createSeen, type Seen } from "../../src/core/tokens/message-cache.ts";
import { runs } from "../support/runs.ts";

type Path = readonly (string | number)[];
const leaf = fc.oneof(fc.string({ maxLength: 30 }), fc.integer(), fc.boolean(), fc.constant(null));
const { message } = fc.letrec<{ message: Record<string, unknown>; value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    tie("message"),
  ),
  message: fc.dictionary(
    fc.string({ minLength: 1, maxLength: 6 }).filter((key) => key !== "__proto__"),
    tie("value"),
    { minKeys: 1, maxKeys: 4 },
  ),
}));

/** Every place in a value: leaves, arrays and objects alike. */
function places(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([key, member]) =>
      places(member, [...path, Array.isArray(value) ? Number(key) : key]),
    ),
  ];
}
const at = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], root);

/** Changes the value at `path` in place, in a way that JSON shows. */
function change(root: Record<string, unknown>, path: Path, how: number): void {
  const found = at(root, path);
  if (Array.isArray(found)) found.push(how % 2 ? "more" : null);
  else if (typeof found === "object" && found !== null) {
    const keys = Object.keys(found);
    const object = found as Record<string, unknown>;
    if (how % 2 && keys.length > 0) Reflect.deleteProperty(object, keys[how % keys.length]!);
    else object[`new${keys.length}`] = how;
  } else {
    const parent = at(root, path.slice(0, -1)) as Record<string | number, unknown>;
    const key = path.at(-1)!;
    parent[key] =
      typeof found === "string"
        ? `${found}!`
        : typeof found === "number"
          ? found + 1
          : typeof found === "boolean"
            ? !found
            : "was null";
  }
}

/** The value known of a message while it is what it was; undefined where one would be made anew. */
function known<T>(seen: Seen<T>, one: object): T | undefined {
  const NEW = new Error("made anew");
  try {
    return seen.of(one, () => {
      throw NEW;
    });
  } catch (error) {
    if (error === NEW) return undefined;
    throw error;
  }
}

describe("what was seen of a message", () => {
  it("is never kept of what could change unseen: dates, maps, classes, circles", () => {
    class Secret {
      #words = "hidden";
      read = () => this.#words;
    }
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    for (const one of [
      { at: new Date(0) },
      { map: new Map([[1, 2]]) },
      { secret: new Secret() },
      circle,
    ]) {
      const seen = createSeen<number>();
      seen.of(one, () => 1);
      expect(known(seen, one)).toBeUndefined();
    }
  });

  it("is of a whole list what it is of each message, whatever was changed, added, taken out or sent before", () => {
    const list = fc.uniqueArray(message, { minLength: 1, maxLength: 6, selector: (one) => one });
    const step = fc.record({
      from: fc.nat({ max: 5 }),
      length: fc.nat({ max: 6 }),
      swap: fc.boolean(),
      which: fc.nat({ max: 5 }),
      place: fc.nat(),
      how: fc.nat({ max: 7 }),
      alters: fc.boolean(),
    });
    fc.assert(
      fc.property(list, fc.array(step, { maxLength: 8 }), (all, steps) => {
        const seen = createSeen<string>();
        const said = (one: object): string =>
          JSON.stringify(one, (_, value: unknown) =>
            value === undefined ? "undefined" : Number.isNaN(value) ? "NaN" : value,
          );
        const made: object[] = [];
        for (const { from, length, swap, which, place, how, alters } of steps) {
          const sent = all.slice(from % 2, (from % 2) + length);
          if (swap) sent.reverse();
          const one = all[which % all.length]!;
          if (alters) {
            const spots = places(one);
            change(one, spots[place % spots.length]!, how);
          }
          made.length = 0;
          expect(seen.all(sent, (each) => (made.push(each), said(each)))).toEqual(sent.map(said));
          // Asked once more, nothing is made anew.
          made.length = 0;
          seen.all(sent, (each) => (made.push(each), said(each)));
          expect(made).toEqual([]);
        }
      }),
      { numRuns: runs(166) },
    );
  });
});

describe("the counter", () => {
  it("weighs texts by estimate, media by their size, and each message by four more", () => {
    const counter = createCounter();
    const text = "The tide comes in over the flats.";
    expect(counter.message({}, () => [])).toBe(4);
    const words: readonly WeighedPiece[] = [{ kind: "text", text }];
    expect(counter.message({}, () => words)).toBe(4 + estimateTokens(text));
    expect(
      counter.message({}, () => [
        { kind: "image", data: "A".repeat(1_000_000), mediaType: "image/png" },
      ]),
    ).toBe(4 + 1_600);
    expect(counter.message({}, () => [{ kind: "document" }])).toBe(4 + 10_000);
  });
});

describe("the memory of texts", () => {
  const long = (index: number): string => `${index} `.repeat(40).padEnd(100, "-");

  it("measures a long text once, however often it is parsed anew", () => {
    let measured = 0;
    const memo = remembering((text) => ((measured += 1), text.length), MEASURED_TEXTS);
    for (let time = 0; time < 5; time += 1)
      expect(memo(JSON.parse(JSON.stringify(long(1))) as string)).toBe(long(1).length);
    expect(measured).toBe(1);
  });

  it("answers for any text what measuring answers", () => {
    const memo = remembering(estimateTokens, { bound: 500, least: 64, most: 250 });
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 200 }), { maxLength: 20 }), (texts) =>
        texts.every((text) => memo(text) === estimateTokens(text)),
      ),
    );
  });
});
