import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  createHmac,
  type Decipheriv,
  hkdfSync,
  randomBytes,
  scryptSync,
} from "node:crypto";

/** A passphrase, or 32 bytes of one's own. */
export type SealKey = string | Uint8Array;

/** Before all that is sealed. */
const MARK = "~";
/** Before a digest. */
const BLOCK = "=";
const DIGEST = /^[0-9a-f]{32}$/;
const [NONCE, TAG, SALT] = [12, 16, 16];
/** About 0.1 s and 32 MB: what a guess at a passphrase costs. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 } as const;

export const isSealed = (cell: string): boolean => cell.startsWith(MARK);
export const newSalt = (): string => randomBytes(SALT).toString("base64url");

/**
 * Texts that cannot be read without the key: AES-256-GCM, each bound to the column it stands in. A digest that is looked up
 * by is one block of AES and closed as such: a conversation has thousands, and each is read before it can go on.
 */
export function createSeal(key: SealKey, salt: string) {
  const master =
    typeof key === "string"
      ? scryptSync(key.normalize("NFKC"), Buffer.from(salt, "base64url"), 32, COST)
      : Buffer.from(key);
  const keys = Buffer.from(
    hkdfSync("sha256", master, Buffer.from(salt, "base64url"), "tidemark history 1", 64),
  );
  const [sealing, naming] = [keys.subarray(0, 32), keys.subarray(32)];

  function closed(column: string, text: string, nonce: Buffer): string {
    const cipher = createCipheriv("aes-256-gcm", sealing, nonce).setAAD(Buffer.from(column));
    // UTF-16 where UTF-8 would change the text: half of a surrogate pair has no UTF-8.
    const [mark, encoding] = text.isWellFormed()
      ? (["8", "utf8"] as const)
      : (["6", "utf16le"] as const);
    const body = [cipher.update(mark, "latin1"), cipher.update(text, encoding)];
    const sealed = Buffer.concat([nonce, ...body, cipher.final(), cipher.getAuthTag()]);
    return MARK + sealed.toString("base64");
  }

  const blocks = (
    make: (key: Buffer) => Cipheriv | Decipheriv,
  ): ((column: string, block: Buffer) => Buffer) => {
    const made = new Map<string, Cipheriv | Decipheriv>();
    return (column, block) => {
      const known =
        made.get(column) ??
        make(createHmac("sha256", naming).update(`block ${column}`).digest()).setAutoPadding(false);
      made.set(column, known);
      return known.update(block);
    };
  };
  // One block each under a key of the column's own: no mode is needed, and none is.
  const closeBlock = blocks((own) => createCipheriv("aes-256-ecb", own, null));
  const openBlock = blocks((own) => createDecipheriv("aes-256-ecb", own, null));

  return {
    /** Unlike each time, so that two that are alike do not show. */
    close: (column: string, text: string): string => closed(column, text, randomBytes(NONCE)),
    // The nonce is made from the text: it comes again only where all comes again.
    /** The same for the same text, to be looked up by. */
    same: (column: string, text: string): string =>
      DIGEST.test(text)
        ? BLOCK + closeBlock(column, Buffer.from(text, "hex")).toString("base64")
        : closed(
            column,
            text,
            createHmac("sha256", naming)
              .update(`${column}\0`)
              .update(text, "utf16le")
              .digest()
              .subarray(0, NONCE),
          ),
    /** Throws when it was closed with another key, for another column, or changed since; a digest then is another digest. */
    open(column: string, cell: string): string {
      if (cell.startsWith(BLOCK))
        return openBlock(
          column,
          Buffer.from(cell.slice(BLOCK.length), "base64").subarray(0, 16),
        ).toString("hex");
      const sealed = Buffer.from(cell.slice(MARK.length), "base64");
      const decipher = createDecipheriv("aes-256-gcm", sealing, sealed.subarray(0, NONCE), {
        authTagLength: TAG,
      })
        .setAAD(Buffer.from(column))
        .setAuthTag(sealed.subarray(-TAG));
      const opened = Buffer.concat([
        decipher.update(sealed.subarray(NONCE, -TAG)),
        decipher.final(),
      ]);
      return opened.toString(opened[0] === 0x38 ? "utf8" : "utf16le", 1);
    },
  };
}
export type Seal = ReturnType<typeof createSeal>;
