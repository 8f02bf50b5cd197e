// Imported first by every entry point: an older Node would fail later, inside a native module or a
// missing global.
const NEEDED = 22;

if (Number(process.versions.node.split(".")[0]) < NEEDED) {
  process.stderr.write(
    `Tidemark needs Node ${NEEDED} or newer and this is ${process.version}: install one from ` +
      `nodejs.org, or add it to your project with "npm install node@24" and run "npx node".\n`,
  );
  process.exit(1);
}
