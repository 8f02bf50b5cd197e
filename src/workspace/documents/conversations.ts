import type { Scope } from "../../model/identity.ts";
import {
  conversationDay,
  conversationPage,
  CONVERSATIONS,
  messagesOn,
  type SaidTogether,
} from "./conversation-page.ts";
import type { Folder } from "../disk/folder.ts";
import { fileOf, safeName } from "../disk/paths.ts";

/** Conversations as pages, each `DATE-ID.md` in the folder of its scope. All reject with "workspace". */
export interface ConversationPages {
  /** Whole or not at all, unless `stands` says, when no other process changes files, that there is no such conversation any more. */
  write(scope: Scope, page: SaidTogether, stands: () => Promise<boolean>): Promise<void>;
  /** Their pages go, then `work` is done, with no writing of them in between. */
  remove(ids: readonly string[], scope: Scope, work: () => Promise<void>): Promise<void>;
  /** Which conversations have a page in a scope, and of those that are `read` how many messages it holds. */
  held(
    scope: Scope,
    read: ReadonlySet<string>,
  ): Promise<(id: string) => { readonly messages?: number } | undefined>;
}

/** Characters of a page in which its head stands. */
const HEAD = 1_000;
/** Day and id. */
const NAME = /^conversations\/\d{4,}-\d\d-\d\d-(.+)\.md$/;

/** The id, as it stands in a file's name, of the conversation a page is of; undefined for another page. */
export const conversationIn = (path: string): string | undefined =>
  NAME.exec(path.replace(/^.*\/(?=conversations\/)/, ""))?.[1];

export function conversationsIn(
  folder: Folder,
  bring: (scope: Scope) => Promise<unknown>,
): ConversationPages {
  const placeOf = (scope: Scope, { id, began }: Pick<SaidTogether, "id" | "began">) =>
    fileOf(scope, `${CONVERSATIONS}/${conversationDay(began)}-${safeName(id)}.md`);

  /** All pages, whatever a person has renamed them to; of those that bear another's name no more is read. */
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
    write: (scope, page, stands) =>
      folder.alone(async () => {
        if (await stands()) await folder.change(placeOf(scope, page), () => conversationPage(page));
      }),
    remove: (ids, scope, work) =>
      folder.alone(async () => {
        for (const { place, meant } of await pagesIn(scope, new Set(ids)))
          if (meant) await folder.remove(place);
        // Of all pages: one that a person has taken away is not among those removed here.
        await bring(scope);
        await work();
      }),
    async held(scope, read) {
      const held = new Map((await pagesIn(scope, read)).map((page) => [page.name, page]));
      return (id) => held.get(safeName(id));
    },
  };
}
