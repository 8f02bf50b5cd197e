import { createHash } from "node:crypto";
import { blockMark, cacheable, markOf, type Ttl } from "./cache-marks.ts";
import type { ModelInfo } from "./models.ts";
import { blockTokens, messageTokens, toolsOverhead, toolTokens } from "./tokens.ts";
import { blocksOf, canonical, isJson, type Json, list } from "./wire.ts";

export interface InputUsage {
  /** Read at full price. */
  readonly input: number;
  readonly write5m: number;
  readonly write1h: number;
  readonly read: number;
}

/** One block of tools → system → messages. */
interface Unit {
  readonly text: string;
  readonly tokens: number;
  readonly mark: Ttl | undefined;
}

/** Positions looked at before a mark for something cached, the mark's own the first of them. */
const LOOK_BACK = 20;
/** Entries kept before the dead ones are swept out. */
const ENTRIES = 5_000;
const LIFE: Readonly<Record<Ttl, number>> = { "5m": 5 * 60_000, "1h": 60 * 60_000 };

function unitsOf(body: Json): Unit[] {
  const units: Unit[] = [];
  list(body.tools).forEach((tool, index) => {
    units.push({
      text: `tool ${canonical(tool)}`,
      tokens: toolTokens(tool) + (index === 0 ? toolsOverhead(body) : 0),
      mark: markOf(tool),
    });
  });
  for (const block of blocksOf(body.system ?? []))
    units.push({
      text: `system ${canonical(block)}`,
      tokens: blockTokens(block),
      mark: markOf(block),
    });
  let last = -1;
  const spoken = list(body.messages).findLastIndex(
    (message) => isJson(message) && message.role === "user",
  );
  for (const [at, message] of list(body.messages).entries()) {
    // Shown until the user speaks again: from then on it is no part of the prompt.
    if (!isJson(message) || (message.clear_at === "next_user_message" && at < spoken)) continue;
    const frame = messageTokens({ ...message, content: [] });
    blocksOf(message.content).forEach((block, index) => {
      units.push({
        text: `${String(message.role)} ${canonical(block)}`,
        tokens: blockTokens(block) + (index === 0 ? frame : 0),
        mark: blockMark(block),
      });
      if (cacheable(block)) last = units.length - 1;
    });
  }
  const automatic = units[last];
  if (isJson(body.cache_control) && automatic !== undefined)
    units[last] = { ...automatic, mark: automatic.mark ?? markOf(body) };
  return units;
}

/** The provider's cache of prompt prefixes, keyed by what stands up to and with a block. */
export class PromptCache {
  private readonly entries = new Map<string, { ttl: Ttl; until: number }>();

  /** Books one answered request: what it read from the cache, and what it wrote. */
  book(body: Json, info: ModelInfo, now: number): InputUsage {
    const units = unitsOf(body);
    const total = units.reduce((sum, { tokens }) => sum + tokens, 0);
    if (!units.some(({ mark }) => mark !== undefined))
      return { input: total, write5m: 0, write1h: 0, read: 0 };
    if (this.entries.size > ENTRIES) this.sweep(now);
    const keys: string[] = [];
    const sizes: number[] = [];
    const hash = createHash("sha256").update(info.id);
    let size = 0;
    for (const unit of units) {
      keys.push(hash.update(`\n${unit.text}`).copy().digest("base64url"));
      sizes.push((size += unit.tokens));
    }
    const hit = this.longest(units, keys, now);
    const read = hit < 0 ? 0 : (sizes[hit] ?? 0);
    const written: Record<Ttl, number> = { "5m": 0, "1h": 0 };
    let from = read;
    units.forEach(({ mark }, at) => {
      const upTo = sizes[at] ?? 0;
      const key = keys[at] ?? "";
      if (at === hit) this.refresh(key, now);
      if (mark === undefined || upTo < info.minimumCacheable) return;
      if (at <= hit && this.alive(key, now)) return this.refresh(key, now);
      this.entries.set(key, { ttl: mark, until: now + LIFE[mark] });
      if (at <= hit) return;
      written[mark] += upTo - from;
      from = upTo;
    });
    return { input: total - from, write5m: written["5m"], write1h: written["1h"], read };
  }

  private alive(key: string, now: number): boolean {
    return (this.entries.get(key)?.until ?? -1) > now;
  }

  private sweep(now: number): void {
    for (const [key, { until }] of this.entries) if (until <= now) this.entries.delete(key);
  }

  private refresh(key: string, now: number): void {
    const entry = this.entries.get(key);
    if (entry !== undefined) entry.until = now + LIFE[entry.ttl];
  }

  private longest(units: readonly Unit[], keys: readonly string[], now: number): number {
    let best = -1;
    units.forEach(({ mark }, at) => {
      if (mark === undefined) return;
      for (let place = at; place > at - LOOK_BACK && place > best; place -= 1) {
        if (this.alive(keys[place] ?? "", now)) best = place;
      }
    });
    return best;
  }
}
