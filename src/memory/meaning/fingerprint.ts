/**
 * Embedded first in every run: an embedder that answers otherwise is another model, whatever its
 * name.
 */
export const FINGERPRINT =
  "The tide comes in twice a day, and the boats in the old harbour rise with it.";
