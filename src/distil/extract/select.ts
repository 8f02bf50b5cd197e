import { estimateTokens } from "../../tokens/estimate.ts";
import { type Group, type Section, type Unit } from "./units.ts";

export interface Selection {
  readonly budget: number;
  /** Tokens of a section's title, paid once. */
  readonly title: (section: Section) => number;
  /** The identifiers of a text, with what each is worth. */
  readonly names: (text: string) => ReadonlyMap<string, number>;
}

interface Offer {
  readonly unit: Unit;
  readonly tokens: number;
  readonly names: ReadonlyMap<string, number>;
  ratio: number;
}

/** What joins a unit to its line costs about a token. */
const JOINT = 1;
/** How many units are thought to share the price of a list's label. */
const LABEL_SHARERS = 3;
/** Below this gain per token a unit is noise, however much room is left. */
const FLOOR = 0.002;

/**
 * `must` in order while there is room, then whatever of `units` gains most per token, until the budget is spent. A gain
 * shrinks as its identifiers are covered, and a price drops once its line is open; the heap is corrected lazily.
 */
export function select(must: readonly Unit[], units: readonly Unit[], selection: Selection): Unit[] {
  const taken: Unit[] = [];
  const covered = new Set<string>();
  const lines = new Set<Group>();
  const sections = new Set<Section>();
  const perLine = new Map<Group, Offer[]>();
  let left = selection.budget;

  const offer = (unit: Unit): Offer => ({ unit, tokens: estimateTokens(unit.text) + JOINT, names: selection.names(unit.text), ratio: 0 });
  const price = ({ unit: { group }, tokens }: Offer): number =>
    tokens +
    (lines.has(group) ? 0 : estimateTokens(group.label) + 2) +
    (sections.has(group.section) ? 0 : selection.title(group.section));
  // A label is paid by the first unit of a list but serves all that follow.
  const shared = (item: Offer): number => {
    const { group } = item.unit;
    const label = lines.has(group) || group.style !== "list" ? 0 : estimateTokens(group.label);
    return price(item) - label * (1 - 1 / Math.min(group.size, LABEL_SHARERS));
  };
  const rate = (item: Offer): number => {
    let gain = item.unit.value;
    for (const [name, value] of item.names) if (!covered.has(name)) gain += value;
    return gain / shared(item);
  };
  const take = (item: Offer): boolean => {
    const cost = price(item);
    if (cost > left) return false;
    left -= cost;
    taken.push(item.unit);
    for (const name of item.names.keys()) covered.add(name);
    sections.add(item.unit.group.section);
    lines.add(item.unit.group);
    return true;
  };

  for (const unit of must) take(offer(unit));

  const heap = new Heap();
  for (const unit of units) {
    const item = offer(unit);
    item.ratio = rate(item);
    if (!follows(unit) || lines.has(unit.group)) heap.push(item);
    const mates = perLine.get(unit.group);
    if (mates === undefined) perLine.set(unit.group, [item]);
    else mates.push(item);
  }
  const gone = new Set<Unit>();
  for (let item = heap.pop(); item !== undefined && left > 2; item = heap.pop()) {
    if (gone.has(item.unit)) continue;
    const now = rate(item);
    if (now < item.ratio * 0.999 && now < (heap.top()?.ratio ?? 0)) {
      item.ratio = now;
      heap.push(item);
      continue;
    }
    if (now < FLOOR) break;
    const opens = !lines.has(item.unit.group);
    if (!take(item)) continue;
    gone.add(item.unit);
    // The line is paid for: its other units have become cheaper.
    if (opens)
      for (const mate of perLine.get(item.unit.group) ?? [])
        if (!gone.has(mate.unit)) {
          const again = { ...mate };
          again.ratio = rate(again);
          heap.push(again);
        }
  }
  return taken;
}

/** An outcome means nothing without its action, the rest of a sentence nothing without its beginning. */
const follows = ({ group, order, continues }: Unit): boolean => continues !== undefined || (group.style === "arrow" && order > 0);

/** Largest ratio first; equal ratios in the order they came, so that the same input gives the same summary. */
class Heap {
  readonly #items: { item: Offer; ratio: number; turn: number }[] = [];
  #turn = 0;

  push(item: Offer): void {
    this.#items.push({ item, ratio: item.ratio, turn: (this.#turn += 1) });
    this.#rise(this.#items.length - 1);
  }
  top(): Offer | undefined {
    return this.#items[0]?.item;
  }
  pop(): Offer | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (first === undefined || last === undefined) return undefined;
    if (this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink();
    }
    first.item.ratio = first.ratio;
    return first.item;
  }
  #before(a: number, b: number): boolean {
    const [one, other] = [this.#items[a], this.#items[b]];
    if (one === undefined || other === undefined) return one !== undefined;
    return one.ratio > other.ratio || (one.ratio === other.ratio && one.turn < other.turn);
  }
  #swap(a: number, b: number): void {
    const [one, other] = [this.#items[a], this.#items[b]];
    if (one === undefined || other === undefined) return;
    this.#items[a] = other;
    this.#items[b] = one;
  }
  #rise(start: number): void {
    for (let at = start; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#before(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }
  #sink(): void {
    for (let at = 0; ; ) {
      let best = at;
      for (const child of [2 * at + 1, 2 * at + 2]) if (child < this.#items.length && this.#before(child, best)) best = child;
      if (best === at) return;
      this.#swap(at, best);
      at = best;
    }
  }
}
