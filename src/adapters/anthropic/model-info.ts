import { defined } from "../../base/defined.ts";
import { capabilitiesOf } from "../../dialect/models/capabilities.ts";
import { ON_DEMAND } from "../../dialect/models/table.ts";
import { type Capabilities } from "../../model/capability.ts";
import { isDict } from "../../base/guards.ts";

/** The values of `thinking.type` by which a model writes thoughts. */
const THINKS = ["adaptive", "enabled", "between_tools"] as const;

/**
 * What a provider says of a model in its list (SDK 1.11, `ModelInfo`), as far as anything here is decided by it. What the list
 * leaves out, or says in another form, is left out here.
 */
export function capabilitiesIn(info: unknown, model: string): Partial<Capabilities> {
  const window = isDict(info) ? info.max_input_tokens : undefined;
  const writes = supports(info, "capabilities", "context_management", "compact_20260112");
  const thinking = [
    supports(info, "capabilities", "thinking"),
    ...THINKS.map((type) => supports(info, "capabilities", "thinking", "types", type)),
  ];
  return {
    ...defined({
      window:
        typeof window === "number" && Number.isFinite(window) && window > 0 ? window : undefined,
    }),
    ...(writes === undefined
      ? {}
      : {
          serverCompaction: writes
            ? (capabilitiesOf(model).serverCompaction ?? ON_DEMAND)
            : undefined,
        }),
    // A model that thinks may bind its thoughts or not: the list does not say.
    ...defined({
      boundThinking: thinking[0] === false && !thinking.includes(true) ? false : undefined,
    }),
  };
}

function supports(info: unknown, ...path: readonly string[]): boolean | undefined {
  const found = path.reduce<unknown>((at, name) => (isDict(at) ? at[name] : undefined), info);
  return isDict(found) && typeof found.supported === "boolean" ? found.supported : undefined;
}
