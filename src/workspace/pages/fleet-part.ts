import type { Scope } from "../../model/identity.ts";
import { diskFolder } from "../disk/disk-folder.ts";
import { partOf, withPartLine } from "./marked-part.ts";
import { fileOf, type FilePlace, unpercent } from "../disk/paths.ts";

/** An agent as the page AGENTS.md tells of it: its name, and what it does. */
interface ListedAgent {
  readonly agent: string;
  readonly does: string;
}

const PART = { page: "AGENTS.md", name: "fleet" } as const;
const LINE = /^[-*+]\s+\*\*(.+?)\*\*:?\s*(.*)$/;

const readAgent = (line: string): ListedAgent | undefined => {
  const [, agent, does = ""] = LINE.exec(line) ?? [];
  return agent === undefined ? undefined : { agent, does };
};

/** The agents of a page's fleet section. */
export const agentsIn = (text: string): ListedAgent[] =>
  partOf(text, PART.name).flatMap((line) => readAgent(line) ?? []);

/**
 * The page with the agent's line: the one it has, or one more. Both texts on one line, a name
 * without "*". Throws "workspace".
 */
export function withAgent(text: string, { agent, does }: ListedAgent): string {
  const at = partOf(text, PART.name).findIndex((line) => readAgent(line)?.agent === agent);
  return withPartLine(text, PART, { line: `- **${agent}**: ${does}`, heading: "## Fleet", at });
}

/**
 * The pages of the whole fleet, and those of its teams and projects, that a folder on disk holds.
 */
export async function fleetPages(
  root: string,
): Promise<{ readonly kind: "team" | "project" | undefined; id: string; text: string }[]> {
  const folder = diskFolder(root, () => undefined);
  const textAt = async (place: FilePlace): Promise<string> =>
    (await folder.read(place).catch(() => undefined)) ?? "";
  const fleet: Scope = "agent:default";
  const pages = [{ kind: undefined, id: "", text: await textAt(fileOf(fleet, PART.page)) }];
  const groups = await Promise.all(
    (["team", "project"] as const).map(async (kind) => {
      const entries = await folder.entries({ base: "scopes", path: kind }).catch(() => []);
      return Promise.all(
        entries
          .filter((entry) => entry.kind === "folder")
          .map(async ({ name }) => ({
            kind,
            id: unpercent(name),
            text: await textAt({ base: `scopes/${kind}/${name}`, path: PART.page }),
          })),
      );
    }),
  );
  return [...pages, ...groups.flat()];
}
