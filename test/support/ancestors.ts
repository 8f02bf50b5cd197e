import type { Options, Tidemark, ToolOptions } from "../../src/index.ts";
import { freshFolder, freshTidemark } from "./anthropic.ts";

export const ANCESTOR_NOON = Date.UTC(2026, 10, 2, 12);

interface Ancestor {
  readonly tidemark: Tidemark;
  readonly workspace: string;
  readonly clock: { now: number };
  /** Runs a tool by the name that the ancestor gave it. */
  readonly run: (name: string, input: unknown, by?: Tidemark) => Promise<string>;
}

/** A workspace whose tools have an ancestor's names, and a clock to turn. */
export async function ancestorRoom({
  names,
  ...options
}: Options & Pick<ToolOptions, "names"> = {}): Promise<Ancestor> {
  const clock = { now: ANCESTOR_NOON };
  const workspace = freshFolder();
  const { tidemark } = await freshTidemark({
    workspace,
    distil: "extractive",
    embed: false,
    now: () => clock.now,
    ...options,
  });
  const run: Ancestor["run"] = async (name, input, by = tidemark) => {
    const tool = by.tools({ names }).find((one) => one.name === name);
    return tool === undefined ? `There is no tool "${name}".` : tool.run(input);
  };
  return { tidemark, workspace, clock, run };
}

/** The id in what a tool that saves has answered. */
export const savedId = (answer: string): string => /^Saved as (\S+)\.$/.exec(answer)?.[1] ?? answer;
