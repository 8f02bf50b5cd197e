import { resolve } from "node:path";

import { degraded } from "../model/errors.ts";
import { type Listen } from "../model/events.ts";
import { type PageIndex } from "../model/pages.ts";
import { diskFolder } from "./disk/disk-folder.ts";
import { type Ended, inFolder } from "./in-folder.ts";
import { EMPTY_PAGE } from "./pages/memory-page.ts";
import { memoryFolder } from "./disk/memory-folder.ts";
import { readTemplates, scaffold, type Templates } from "./pages/scaffold.ts";
import { type Workspace } from "./workspace.ts";

export interface WorkspaceOptions {
  readonly root: string;
  /** The folder of starting files: workspace-template of the package. */
  readonly templateDir: string;
  readonly now: () => number;
  readonly pages: PageIndex;
  /** Hears `degraded` when a file had to be passed over. */
  readonly listen?: Listen;
  readonly ended?: Ended;
}

/** A workspace on disk. Nothing is touched before `scaffold` or the first write. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { root, templateDir, now, pages, listen, ended } = options;
  const tell = (error: unknown): void => listen?.(degraded("workspace", error));
  const folder = diskFolder(root, tell);
  let loaded: Promise<Templates> | undefined;
  const templates = (): Promise<Templates> =>
    (loaded ??= readTemplates(templateDir).catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
  return {
    root: resolve(root),
    scaffold: async (scopes) =>
      scaffold(root, folder, { templates: await templates(), scopes, now: now() }),
    ...inFolder(folder, { templates, now, tell, pages, ended }),
  };
}

/** The same for `workspace: false`: what was learnt and remembered lives as long as the process. */
export function createNoWorkspace({
  listen,
  ...given
}: Pick<WorkspaceOptions, "now" | "pages" | "ended" | "listen">): Workspace {
  return {
    root: undefined,
    scaffold: async () => {},
    ...inFolder(memoryFolder(), {
      ...given,
      templates: async () => new Map([["MEMORY.md", EMPTY_PAGE.text]]),
      tell: (error) => listen?.(degraded("workspace", error)),
    }),
  };
}
