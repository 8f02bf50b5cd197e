import { type Listen } from "../../model/events.ts";
import { reasonOf } from "../../model/errors.ts";
import { remembering } from "../../base/cache.ts";
import { loadMask, type Mask, maskAtOnce } from "../../secrets/mask.ts";

/** Characters kept: what was masked while a summary was made ready is not read again by the turn that folds. */
const KEPT = 600_000;

/** Loads the rules with the first text to be written; without the package's, our own still hold. */
export function createMasking(emit: Listen): () => Promise<Mask> {
  let loading: Promise<Mask> | undefined;
  return () =>
    (loading ??= loadMask()
      .catch((thrown: unknown) => {
        emit({
          type: "degraded",
          where: "secrets",
          error: `The rules of the secret scanner could not be loaded, fewer kinds of secrets are masked: ${reasonOf(thrown)}`,
        });
        return maskAtOnce;
      })
      .then((mask) => remembering(mask, { bound: KEPT })));
}
