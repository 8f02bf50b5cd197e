import { checkScope } from "../../memory/saving/check.ts";
import { checkWhole, isTextOf, wholeCharacters } from "../../model/checks.ts";
import { shown, refuse } from "../../model/errors.ts";
import { agentScope, type Scope } from "../../model/identity.ts";
import type { Moment } from "../../model/memory.ts";
import { momentOf } from "../../model/moment.ts";
import type { Act } from "../../model/rights.ts";
import { isDict } from "../../base/guards.ts";
import {
  momentText,
  type RecordChange,
  type StoredRecord,
} from "../../workspace/documents/records.ts";
import type { RecordPatch, RecordsApi } from "../options/knowledge-api.ts";
import type { Core, Who } from "../session/core.ts";
import { atBorder } from "./border.ts";

const LONGEST = 100_000;
const LONGEST_WORD = 60;
const MOST_WORDS = 30;

/** Records as the host, the command line and an agent's tools see them. */
export function recordsApi(core: Core, open: () => Promise<Who>): RecordsApi {
  const { records } = core.workspace;

  const all = async ({ scopes }: Who): Promise<StoredRecord[]> =>
    (await Promise.all(scopes.map((scope) => records.all(scope)))).flat();

  const allowed = async (who: Who, scope: unknown, act: Act): Promise<Scope> =>
    checkScope(scope, { scopes: who.scopes, rights: await who.rights() }, act);

  /** Undefined where there is none; one that is there may be acted on so. */
  async function find(id: string, act?: Act): Promise<StoredRecord | undefined> {
    const who = await open();
    const record = (await all(who)).find((one) => one.id === id);
    if (record !== undefined && act !== undefined) await allowed(who, record.scope, act);
    return record;
  }

  async function change(id: string, given: RecordChange & { category?: string }) {
    const record =
      (await find(id, "change")) ?? refuse(`There is no record ${shown(id)}.`, "not-found");
    return records.change(record, { ...given, id: core.newId(), at: core.now() });
  }

  return atBorder(core, "records.", {
    async add(input) {
      const given = await checkChange(core, "add", input);
      const { category, name, scope } = input;
      const mask = await core.mask();
      const who = await open();
      return records.add(await allowed(who, scope ?? agentScope(who.identity), "add"), {
        ...given,
        id: core.newId(),
        at: core.now(),
        category: mask(checkCategory(category)),
        name: name === undefined ? undefined : mask(checkName(name)),
        content: given.content ?? refuse("records.add needs content, a text."),
      });
    },
    update: async (id, patch) => change(id, await checkChange(core, "update", patch)),
    reclassify: async (id, category) =>
      change(id, { category: (await core.mask())(checkCategory(category)) }),
    archive: (id) => change(id, { archived: true }),
    restore: (id) => change(id, { archived: null }),
    async delete(id) {
      const record = await find(id, "forget");
      return record !== undefined && records.remove(record, core.now());
    },
    async list({ category, archived = false, scope, limit = 100 } = {}) {
      const most = checkWhole(limit, "limit", 100_000);
      const of = category === undefined ? undefined : checkCategory(category);
      const now = core.now();
      return (await all(await open()))
        .filter(
          (record) =>
            record.archived === archived &&
            (archived || (record.until ?? Infinity) > now) &&
            (of === undefined || record.category === of) &&
            (scope === undefined || record.scope === scope),
        )
        .sort((one, other) => (other.updated ?? 0) - (one.updated ?? 0))
        .slice(0, most);
    },
    get: (id) => find(id),
  });
}

function checkCategory(value: unknown): string {
  if (
    typeof value !== "string" ||
    value.length > LONGEST_WORD ||
    !/^[\p{L}\p{N}][\p{L}\p{N} _-]*$/u.test(value)
  )
    refuse(
      `A record's category is a word of at most ${LONGEST_WORD} letters, digits, "-" and "_", such as decision, got ${shown(value)}.`,
    );
  return value.trim().toLowerCase();
}

function checkName(value: unknown): string {
  if (
    typeof value !== "string" ||
    value.length > 2 * LONGEST_WORD ||
    !/^[^\p{Cc}/\\.][^\p{Cc}/\\]*$/u.test(value)
  )
    refuse(
      `A record's name is a file's name of at most ${2 * LONGEST_WORD} characters without "/", such as rollback, got ${shown(value)}.`,
    );
  return wholeCharacters(value, "A record's name").replace(/\.md$/i, "");
}

function checkWords(value: unknown, name: string, mask: (text: string) => string): string[] {
  const fits = (word: unknown): word is string =>
    isTextOf(word, 2 * LONGEST_WORD) && !/\p{Cc}/u.test(word);
  if (!Array.isArray(value) || value.length > MOST_WORDS || !value.every(fits))
    refuse(
      `records: ${name} must be a list of at most ${MOST_WORDS} short texts on one line each, got ${shown(value)}.`,
    );
  return [...new Set(value.map((word) => mask(word.trim())))];
}

function checkUntil(value: Moment, now: number): string {
  const at = momentOf(value, "until");
  if (at > now) return momentText(at);
  refuse(
    `until must lie ahead, got ${new Date(at).toISOString()}: delete or archive what is over.`,
  );
}

async function checkChange(core: Core, method: string, given: RecordPatch): Promise<RecordChange> {
  if (!isDict(given))
    refuse(
      `records.${method} takes ${method === "add" ? "{ category, content }" : "an object"}, got ${shown(given)}.`,
    );
  const { content, aliases, keywords, source, until }: RecordPatch = given;
  if (content !== undefined && !isTextOf(content, LONGEST))
    refuse(
      `records.${method}: content must be a text of 1 to ${LONGEST} characters, got ${shown(content)}.`,
    );
  if (source !== undefined && (typeof source !== "string" || source.length > 200))
    refuse(`records.${method}: source must be a short text, got ${shown(source)}.`);
  const mask = await core.mask();
  return {
    content: content && mask(content.toWellFormed()),
    source: source && mask(source),
    aliases: aliases === undefined ? undefined : checkWords(aliases, "aliases", mask),
    keywords: keywords === undefined ? undefined : checkWords(keywords, "keywords", mask),
    until: until === undefined || until === null ? until : checkUntil(until, core.now()),
  };
}
