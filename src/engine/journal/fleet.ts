import { promises as fs } from "node:fs";
import { join } from "node:path";
import { parsed } from "../../base/guards.ts";
import { degraded } from "../../model/errors.ts";
import type { Identity } from "../../model/identity.ts";
import type { Ports } from "../session/core.ts";

/** An agent as it was used in this workspace. Whom it talked to is not noted. */
interface Seen {
  readonly agent: string;
  readonly team?: string;
  readonly project?: string;
}

/**
 * Kept, the latest: a program that makes an agent for each task must not have them all read for
 * ever.
 */
const MOST_AGENTS = 5_000;

export type Fleet = ReturnType<typeof createFleet>;

/** The agents seen in a workspace, by every process that has used it. */
export function createFleet({ workspace, emit, off }: Ports) {
  const noted = new Set<string>();
  const seen = async (): Promise<Seen[]> => listed(await workspace.kept("agents"));
  return {
    seen,
    /**
     * Notes an agent with its team and project; once is enough. Trouble is told, and no reason to
     * lose a turn.
     */
    async note({ agent = "default", team, project }: Identity): Promise<void> {
      const name = nameOf({ agent, team, project });
      // An agent in neither keeps all to itself.
      if (off || noted.has(name) || (team ?? project) === undefined) return;
      noted.add(name);
      try {
        if ((await seen()).some((one) => nameOf(one) === name)) return;
        await workspace.keep("agents", (text) => {
          const others = listed(text).filter((one) => nameOf(one) !== name);
          const all = [...others, { agent, team, project }].slice(-MOST_AGENTS);
          return `[${all.map(nameOf).join(",")}]\n`;
        });
      } catch (thrown) {
        noted.delete(name);
        emit(degraded("agents seen", thrown));
      }
    },
  };
}

/** The agents seen in the workspace of this folder; none where that cannot be read. */
export const agentsOf = async (root: string): Promise<Seen[]> =>
  listed(await fs.readFile(join(root, ".tidemark", "agents.json"), "utf8").catch(() => undefined));

/** Its row in the file. */
const nameOf = ({ agent, team, project }: Seen): string => JSON.stringify([agent, team, project]);

function listed(text: string | undefined): Seen[] {
  const rows = parsed(text ?? "");
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown): Seen[] => {
    const [agent, team, project]: unknown[] = Array.isArray(row) ? row : [];
    if (typeof agent !== "string") return [];
    return [{ agent, team: textOf(team), project: textOf(project) }];
  });
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;
