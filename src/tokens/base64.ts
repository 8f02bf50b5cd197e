/** Base64 read where it is needed, never whole: four characters hold three bytes, so any offset can be reached. */
export interface Encoded {
  readonly mediaType: string;
  readonly size: number;
  bytes(offset: number, length: number): Buffer;
}

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*,/;

/** `data` is base64 or a data URL; the URL's own media type wins. */
export function encoded(data: string, mediaType = ""): Encoded {
  const url = data.startsWith("data:") ? DATA_URL.exec(data.slice(0, 256)) : null;
  const start = url?.[0].length ?? 0;
  const padding = Number(data.endsWith("=")) + Number(data.endsWith("=="));
  return {
    mediaType: (url?.[1] || mediaType).toLowerCase(),
    size: Math.max(0, Math.floor(((data.length - start) * 3) / 4) - padding),
    bytes(offset, length) {
      const group = Math.floor(offset / 3);
      const groups = Math.ceil((offset + length) / 3) - group;
      const from = start + group * 4;
      const skip = offset - group * 3;
      return Buffer.from(data.slice(from, from + groups * 4), "base64").subarray(
        skip,
        skip + length,
      );
    },
  };
}
