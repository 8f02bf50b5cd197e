import type { Scope } from "../../model/identity.ts";
import { dayOf } from "../../model/moment.ts";
import {
  conversationPage,
  CONVERSATIONS,
  messagesOn,
  type SaidTogether,
} from "./conversation-page.ts";
import type { Folder } from "../disk/folder.ts";
import { fileOf, safeName } from "../disk/paths.ts";

/** Characters of a page in which its head stands. */
const HEAD = 1_000;
/** Day and id. */
const NAME = /^conversations\/\d{4,}-\d\d-\d\d-(.+)\.md$/;

/**
 * The id, as it stands in a file's name, of the conversation a page is of; undefined for another
 * page.
 */
export const conversationIn = (path: string): string | undefined =>
  NAME.exec(path.replace(/^.*\/(?=conversations\/)/, ""))?.[1];

/**
 * Conversations as pages, each `DATE-ID.md` in the folder of its scope. All reject with
 * "workspace".
 */
export function conversationsIn(folder: Folder, bring: (scope: Scope) => Promise<unknown>) {
  /**
   * All pages, whatever a person has renamed them to; of those that bear another's name no more is
   * read.
   */
  async function pagesIn(scope: Scope, ids: ReadonlySet<string>) {
    const names = new Set([...ids].map(safeName));
    const found = [];
    for (const { place } of await folder.list(fileOf(scope, CONVERSATIONS))) {
      const named = conversationIn(place.path);
      const isOther = named !== undefined && !names.has(named);
      const start = isOther ? "" : await folder.read(place, { characters: HEAD, keep: "start" });
      const head = messagesOn(start ?? "");
      const name = named ?? (head && safeName(head.id));
      if (name !== undefined)
        found.push({ place, name, meant: names.has(name), messages: head?.messages });
    }
    return found;
  }

  return {
    /**
     * Whole or not at all, unless `stands` says, when no other process changes files, that there is
     * no such conversation any more.
     */
    write: (scope: Scope, page: SaidTogether, stands: () => Promise<boolean>) =>
      folder.alone(async () => {
        // The day it began, and its id: at one name for good.
        const name = `${dayOf(page.began)}-${safeName(page.id)}.md`;
        if (await stands())
          await folder.change(fileOf(scope, `${CONVERSATIONS}/${name}`), () =>
            conversationPage(page),
          );
      }),
    /** Their pages go, then `work` is done, with no writing of them in between. */
    remove: (ids: readonly string[], scope: Scope, work: () => Promise<unknown>) =>
      folder.alone(async () => {
        for (const { place, meant } of await pagesIn(scope, new Set(ids)))
          if (meant) await folder.remove(place);
        // All pages are looked at: a person's removal is not among the removals made here.
        await bring(scope);
        await work();
      }),
    /**
     * Which conversations have a page in a scope, and of those that are `read` how many messages it
     * holds.
     */
    async held(scope: Scope, read: ReadonlySet<string>) {
      const held = new Map((await pagesIn(scope, read)).map((page) => [page.name, page]));
      return (id: string) => held.get(safeName(id));
    },
  };
}
