import { breaths, membersIn } from "../../core/base.ts";
import { telling } from "../../core/errors-and-events.ts";
import type { Scope } from "../../core/identity.ts";
import type { Memory } from "../../core/memory.ts";
import { mask } from "../../core/secrets/mask.ts";
import { withoutFences } from "../../core/text/fence.ts";
import { saying, sentences, withoutSpeaker } from "../../core/text/sentences.ts";
import { meanings } from "../../memory/extracting/cues.ts";
import type { Fact } from "../../memory/extracting/task.ts";
import { sameness } from "../../memory/saving/same-and-category.ts";
import { dialectFor } from "../../providers/detect.ts";
import type { Ground, Kept, Settings, Who } from "../../session/core.ts";
import {
  decided,
  isOf,
  type Preference,
  preferencesIn,
  withProposed,
} from "../../workspace/pages/preferences-and-fleet.ts";
import type { Workspace } from "../../workspace/workspace.ts";

const PAGE = "USER.md";
/**
 * Memories that were proposed once, the latest: names only, so that what is forgotten leaves no
 * word here.
 */
const MOST_PROPOSED = 5_000;
/** A sentence that holds this share of a fact's words says the same. */
const SAYS = 0.5;

/** The messages that facts were taken from. */
interface FactRange {
  readonly session: string;
  readonly first: number;
  readonly last: number;
}

type Wishes = Awaited<ReturnType<typeof wishesIn>>;

const WANTED = new Set(["preference", "principle"]);

/**
 * Words of the user alone; a fact of another kind counts where it is said to be remembered as one
 * would say a preference.
 */
function isWish({ origin, category = "", content }: Fact): boolean {
  if (origin !== "user" || content === "") return false;
  const means = meanings(withoutSpeaker(content));
  return (
    WANTED.has(category) ||
    (means.has("remember") &&
      (["prefers", "needs", "rules"] as const).some((one) => means.has(one)))
  );
}

/**
 * What a user wants to hold, as some messages say it; `read`: memories that these very messages had
 * taught before, since to read them once more is not to be told again. Asked before the facts are
 * stored, since then they have taught these.
 */
export async function wishesIn(
  { history, off }: Kept & Settings,
  range: FactRange,
  facts: readonly Fact[],
) {
  const contents = off ? [] : facts.filter(isWish).map(({ content }) => content);
  const learnt =
    contents.length === 0
      ? []
      : await history.learnt({ ...range, from: range.first, to: range.last });
  return { range, contents, read: new Set(learnt.map(({ memory }) => memory)) };
}

/** Longer than this, what a user sends is a text to work on. */
const LONGEST_MESSAGE = 2_000;

/**
 * What the user said in the range: how many messages say the same, and which sentences ask to
 * remember.
 */
async function saidIn({ history }: Kept, { session, first, last }: FactRange) {
  const times = new Map<string, number>();
  const toRemember: string[] = [];
  const due = breaths();
  for (const { body, role } of await history.bodies(session, first, last)) {
    await due();
    const dialect = dialectFor({ messages: [body] });
    if (role !== "user" || dialect.speaker(body) !== "user") continue;
    const own = withoutFences(dialect.text(body));
    if (own.length > LONGEST_MESSAGE) continue;
    const told = sentences(own).flatMap(({ text, code }) => (code ? [] : [text]));
    toRemember.push(...told.filter((text) => meanings(text).has("remember")));
    for (const same of new Set(told.map(sameness))) times.set(same, (times.get(same) ?? 0) + 1);
  }
  const isAsked = saying(toRemember, SAYS);
  return (content: string): boolean => {
    const bare = withoutSpeaker(content);
    return (times.get(sameness(bare)) ?? 0) > 1 || isAsked(bare);
  };
}

/**
 * Once the facts are stored, behind them: what was known before, and what is said twice or to be
 * remembered, is proposed.
 */
export function proposeWishes(
  core: Ground & Kept,
  { learns }: Who,
  { range, contents, read }: Wishes,
  stored: { saved: readonly Memory[]; repeated: readonly Memory[] },
): void {
  if (contents.length === 0) return;
  const fresh = read.union(new Set(stored.saved.map(({ id }) => id)));
  const isAgain = ({ id }: Memory): boolean => !fresh.has(id);
  const work = async (): Promise<void> => {
    const isAsked = await saidIn(core, range);
    const rows = await Promise.all(
      contents.map(async (content) =>
        (await core.store.find({ scopes: [learns], same: sameness(content) }))
          .map(({ memory }) => memory)
          .filter((memory) => isAgain(memory) || isAsked(content)),
      ),
    );
    const alike = stored.repeated.filter(
      (memory) => WANTED.has(memory.category) && isAgain(memory),
    );
    const wanted = [...rows.flat(), ...alike].filter(
      ({ origin, scope }) => origin === "user" && scope === learns,
    );
    const memories = new Map(wanted.map((memory) => [memory.id, memory]));
    await propose(core, learns, { memories: [...memories.values()], read });
  };
  core.background.run(work().catch(telling(core.emit, "preferences")));
}

async function propose(
  core: Ground & Kept,
  scope: Scope,
  { memories, read }: { memories: readonly Memory[]; read: ReadonlySet<string> },
): Promise<void> {
  if (memories.length === 0) return;
  const { workspace } = core;
  await workspace.alone(async () => {
    const before = await proposedOnce(workspace);
    // A model says in its own words what was proposed in the user's.
    const earlier = [...read].filter((id) => before.has(id));
    const rows = await Promise.all(earlier.map((id) => core.store.find({ scopes: [scope], id })));
    const isTold = saying(
      rows.flat().map(({ memory }) => withoutSpeaker(memory.content)),
      SAYS,
    );
    const fresh = memories.filter(({ id, content }) => !before.has(id) && !isTold(content));
    if (fresh.length === 0) return;
    let added: string[] = [];
    await workspace.edit(
      PAGE,
      (page) => {
        const made = withProposed(
          page,
          fresh.map(({ id, content }) => ({ id, content: mask(content), at: core.now() })),
        );
        added = made.added;
        return added.length === 0 ? undefined : made.text;
      },
      scope,
    );
    if (added.length === 0) return;
    const all = [...before, ...added.map((id) => [id, scope] as const)].slice(-MOST_PROPOSED);
    await workspace.keep("preferences", () => `${JSON.stringify(Object.fromEntries(all))}\n`);
  });
}

/** By memory, in whose page. */
export async function proposedOnce(workspace: Workspace): Promise<Map<string, string>> {
  return new Map(
    membersIn(await workspace.kept("preferences")).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
}

/** The preferences that wait on a page, each with its memory's id. */
export async function waitingOn(
  { workspace }: Kept,
  scope: Scope,
): Promise<(Preference & { id: string })[]> {
  const waiting = preferencesIn(await workspace.read(PAGE, scope)).filter((one) => !one.accepted);
  if (waiting.length === 0) return [];
  const ids = [...(await proposedOnce(workspace))].flatMap(([id, at]) =>
    at === scope ? [id] : [],
  );
  return waiting.flatMap((one) => {
    const id = ids.find((known) => isOf(one, known));
    return id === undefined ? [] : [{ ...one, id }];
  });
}

/** Ticks the line of a preference, or takes it off the page; false where none of it waits. */
export async function decide(
  { workspace }: Kept,
  scope: Scope,
  { id, accepted }: { id: string; accepted: boolean },
): Promise<boolean> {
  let found = false;
  await workspace.edit(
    PAGE,
    (page) => {
      const made = decided(page, id, accepted);
      found = made !== undefined;
      return made;
    },
    scope,
  );
  return found;
}
