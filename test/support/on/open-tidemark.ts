import * as own from "../../../src/tidemark/open-tidemark.ts";
import { storeIn } from "./stores.ts";

export * from "../../../src/tidemark/open-tidemark.ts";

type Given = Parameters<typeof own.openWith>;

/** A server that is late because the machine is busy is waited for. */
const PATIENCE = { patience: 10_000 };

/** On the project's storage; maps find nothing by meaning. */
export const openWith = (options: Given[0] = {}, timer?: Given[1]) => {
  const given = Object(options) as NonNullable<Given[0]>;
  const { workspace = "workspace", store, key, embed, window = PATIENCE } = given;
  const isOwn = store !== undefined || key !== undefined;
  if (isOwn || (embed && process.env.TIDEMARK_ON === "memory")) return own.openWith(options, timer);
  return own.openWith(
    {
      ...options,
      window: typeof window === "object" ? { ...PATIENCE, ...window } : window,
      store: storeIn(workspace === false ? undefined : workspace),
    },
    timer,
  );
};
export const openTidemark: typeof own.openTidemark = (options) => openWith(options);
