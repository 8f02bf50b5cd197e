import { type Folder, stampAt } from "../disk/folder.ts";
import { type Place } from "../disk/paths.ts";
import { type PromptTexts } from "./prompt-files.ts";

/** Characters kept of all identities together, in a megabyte or two: the identities that fold next began to distil last. */
const MOST = 300_000;
/** What a file that was looked at takes up beside its text, in characters. */
const FILE = 200;

interface Kept {
  readonly texts: PromptTexts;
  /** What they were made of, as it was just before it was read. */
  readonly made: readonly { readonly place: Place; readonly stamp: string }[];
  readonly size: number;
}

/**
 * Sections as they were made before, as long as every file they were made of is the file it was, or still is not there: a turn
 * that folds waits for them, and to look at files takes a fraction of what reading them takes.
 */
export function keptPrompts(folder: Folder) {
  const kept = new Map<string, Kept>();
  let size = 0;
  const drop = (key: string): void => {
    size -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  };
  const put = (key: string, one: Kept): void => {
    kept.set(key, one);
    size += one.size;
    for (const oldest of kept.keys()) {
      if (size <= MOST || kept.size <= 1) break;
      drop(oldest);
    }
  };
  const still = async (one: Kept | undefined): Promise<boolean> =>
    one !== undefined &&
    (
      await Promise.all(
        one.made.map(async ({ place, stamp }) => (await stampAt(folder, place)) === stamp),
      )
    ).every(Boolean);

  /** What `make` reads through `noted` is what its sections are made of. */
  return async (
    key: string,
    make: (
      noted: (place: Place, read: () => Promise<string | undefined>) => Promise<string | undefined>,
    ) => Promise<PromptTexts>,
  ): Promise<PromptTexts> => {
    const before = kept.get(key);
    if (before !== undefined && (await still(before).catch(() => false))) {
      // The latest used are the last to go.
      kept.delete(key);
      kept.set(key, before);
      return before.texts;
    }
    const made: { place: Place; stamp: string }[] = [];
    let troubled = false;
    const texts = await make(async (place, read) => {
      try {
        made.push({ place, stamp: await stampAt(folder, place) });
        return await read();
      } catch (thrown) {
        // What could not be read is tried again each time.
        troubled = true;
        throw thrown;
      }
    });
    drop(key);
    if (!troubled) put(key, { texts, made, size: sizeOf(texts) + FILE * made.length });
    return texts;
  };
}

const sizeOf = ({ standing, ...sections }: PromptTexts): number =>
  [...Object.values(sections), ...standing].reduce((sum, text) => sum + text.length, 0);
