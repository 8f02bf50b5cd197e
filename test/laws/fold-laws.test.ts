import { describe, expect, it } from "vitest";
import type { Format, Message } from "../../src/core/request.ts";
import { createMeasure } from "../../src/session/count-tokens.ts";
import { lastUser, openLoop, seamBefore } from "../../src/providers/common/seams-and-thinking.ts";

import { seededHistory, validAnthropic, validOpenAI } from "../support/histories.ts";
import { type Chance, chance } from "../support/histories-random.ts";
import { deepFreeze } from "../support/histories-rewrites.ts";
import { modelInfo, refusalOf } from "../support/messages-server/index.ts";
import { toolsOf } from "../support/replay-judge.ts";
import { type Pure, pureFold, type Situation } from "../support/replay-pure.ts";
import { runs } from "../support/runs.ts";
import { landsWell } from "../../src/session/options/save-and-fold-marks.ts";

const HISTORIES = runs(500);
/** Below this limit a few unshortenable blocks may be more than there is room for: then the error is right. */
const ROOM = 1_500;
const info = modelInfo("claude-sonnet-5-5", { max_input_tokens: 1e9 });

interface Case {
  readonly seed: number;
  readonly format: Format;
  readonly situation: Situation;
  readonly pure: Pure;
  readonly keepLast: number;
  readonly pressed: boolean;
  readonly summary: string;
}

/** A random history in a random window with random marks. */
function caseOf(seed: number): Case {
  const random = chance(seed ^ 0xabcdef);
  const format: Format = random.maybe(0.6) ? "anthropic" : "openai-chat";
  const messages = seededHistory(format, seed, {
    turns: 10,
    text: random.pick([60, 400]),
    long: random.pick([1_000, 6_000]),
  });
  const tools = [
    ...(toolsOf(format, messages) ?? []),
    ...(format === "anthropic" ? [{ name: "any", input_schema: { type: "object" } }] : []),
  ];
  const request = deepFreeze({
    model: "claude-sonnet-5-5",
    max_tokens: 1_000,
    tools,
    messages,
    ...(format === "anthropic" ? { system: "Be kind." } : {}),
  });
  const window = marks(random);
  const whole = pureFold({ format, request, limit: 1e6 }).outgoing.level.used;
  const situation: Situation = {
    format,
    request,
    limit: Math.max(600, Math.round(whole * (0.15 + random.nat(250) / 100))),
    window,
    frozen: random.maybe(0.5) ? random.text(400) : "",
    pins: random.maybe(0.3) ? [{ id: "p", text: random.text(60) }] : [],
  };
  const pure = pureFold(situation);
  return {
    seed,
    format,
    situation,
    pure,
    keepLast: window.keepLast,
    pressed: random.maybe(0.4) || pure.outgoing.level.level >= window.brimAt,
    summary: random.text(random.pick([40, 300])),
  };
}

function marks(random: Chance) {
  const flushAt = 0.3 + random.nat(40) / 100;
  const compactAt = flushAt + random.nat(20) / 100;
  return {
    flushAt,
    compactAt,
    brimAt: Math.min(1, compactAt + random.nat(25) / 100),
    keepLast: 1 + random.nat(8),
  };
}

const judged = (format: Format, messages: readonly Message[]): string | undefined =>
  format === "anthropic" ? validAnthropic(messages) : validOpenAI(messages);
const strictly = (format: Format, request: Situation["request"]): string | undefined =>
  format === "anthropic" ? refusalOf(request, info)?.message : undefined;

/** What is wrong with what was done to one history. */
function lawsBroken({ format, situation, pure, keepLast, pressed, summary }: Case): string[] {
  const { outgoing, conversation, dialect } = pure;
  const { limit, request } = situation;
  const used = outgoing.level.used;
  const seam = seamBefore(conversation.length - keepLast, (index) =>
    dialect.opensTail(conversation, index),
  );
  const ready = !pressed && seam > 0;
  if (!pressed && !ready) return [];
  const plan = pure.plan(ready ? { summary, upTo: seam } : undefined);
  if (plan.kind === "refuse")
    return pressed && used > limit && limit > ROOM
      ? [`${used} of ${limit} tokens, and nothing is done: ${plan.reason}`]
      : [];

  const broken: string[] = [];
  const after = pure.after(plan, summary);
  for (const one of [outgoing, after]) {
    const counted = createMeasure().request(dialect, one.view.request);
    if (one.estimated !== counted) broken.push(`weighed ${one.estimated}, is ${counted}`);
  }
  const landed = after.level.used;
  const invalid = judged(format, after.view.request.messages);
  if (invalid !== undefined && judged(format, request.messages) === undefined)
    broken.push(`made invalid: ${invalid}`);
  const refused = strictly(format, after.view.request);
  if (refused !== undefined && strictly(format, request) === undefined)
    broken.push(`would be refused: ${refused}`);

  if (landed >= used) broken.push(`from ${used} to ${landed} tokens`);
  if (pressed && landed > limit && limit > ROOM)
    broken.push(`${landed} of ${limit} tokens after every concession`);
  if (!pressed && !landsWell({ used, landing: landed, limit }))
    broken.push(`a fold below the brim from ${used} to ${landed} of ${limit}`);
  const cut = plan.kind === "fold" ? plan.cut : 0;
  const asked = lastUser(dialect, conversation);
  if (asked >= seam && cut > asked) broken.push("the last user message was folded");
  if (asked < seam && cut > seam && openLoop(dialect, conversation) !== undefined)
    broken.push("an open tool loop was broken into for fewer than keepLast");
  if (!pressed && cut > seam) broken.push("fewer than keepLast were kept below the brim");

  const tail = after.view.request.messages.slice(after.view.offset);
  conversation.slice(after.view.replaced).forEach((message, index) => {
    const sent = tail[index];
    const shortened = plan.shorten.has(after.view.replaced + index);
    if (sent !== message && !shortened && !dialect.thinks(message))
      broken.push(`message ${after.view.replaced + index} is not the caller's own`);
  });
  for (const pin of plan.kind === "fold" ? (situation.pins ?? []) : [])
    if (!dialect.text(after.view.request.messages[after.view.offset - 1] ?? {}).includes(pin.text))
      broken.push("a pin was changed");
  return broken;
}

describe("whatever is folded or shortened", () => {
  it(`keeps ${HISTORIES} random histories valid, verbatim and within their windows`, () => {
    const broken: { seed: number; laws: string[] }[] = [];
    for (let seed = 0; seed < HISTORIES && broken.length < 5; seed++) {
      const laws = lawsBroken(caseOf(seed));
      if (laws.length > 0) broken.push({ seed, laws });
    }
    expect(broken).toEqual([]);
  });

  it("concedes results before texts, old texts before the newest, and what was called with last", () => {
    const words = (count: number) =>
      Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
    const request = deepFreeze({
      model: "claude-sonnet-5-5",
      messages: [
        { role: "user", content: words(300) },
        {
          role: "assistant",
          content: [
            { type: "text", text: words(300) },
            { type: "tool_use", id: "t1", name: "read", input: { path: words(300) } },
          ],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t1", content: words(300) }],
        },
      ],
    });
    const seen = new Map<string, number>();
    for (let limit = 3_600; limit > 400; limit -= 20) {
      const pure = pureFold({ format: "anthropic", request, limit });
      const plan = pure.plan();
      if (plan.kind === "refuse") continue;
      for (const [index, bound] of plan.shorten)
        for (const part of Object.keys(bound))
          if (!seen.has(`${part} ${index}`)) seen.set(`${part} ${index}`, limit);
    }
    const order = [...seen].sort((a, b) => b[1] - a[1]).map(([what]) => what);
    expect(order).toEqual(["results 2", "texts 0", "texts 1", "inputs 1"]);
  });

  it("does not fold again before the request has grown", () => {
    let refused = 0;
    for (let seed = 0; seed < 120; seed++) {
      const { pure, situation, summary } = caseOf(seed);
      const plan = pure.plan();
      if (plan.kind !== "fold") continue;
      const again = pure.next(plan, summary);
      if (again.outgoing.level.used >= situation.limit) continue;
      expect(again.plan(), `seed ${seed}`).toMatchObject({ kind: "refuse" });
      refused += 1;
    }
    expect(refused).toBeGreaterThan(40);
  });
});
