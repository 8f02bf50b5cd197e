/** A part of the package, for processes of their own: as it was last built, where nothing has changed since. */
export const builtUrl = (part: string): URL =>
  new URL(
    process.env.TIDEMARK_BUILT ? `../../dist/${part}.js` : `../../src/${part}.ts`,
    import.meta.url,
  );
