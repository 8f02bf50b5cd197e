// Bundles the page of `tidemark inspect` into dist/page.
import { copyFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

export async function buildPage(folder = "dist/page") {
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    input: "page/main.ts",
    platform: "browser",
    tsconfig: "page/tsconfig.json",
  });
  await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "app.js",
    minify: true,
    comments: false,
    codeSplitting: false,
  });
  await bundle.close();
  for (const file of ["index.html", "style.css"]) copyFileSync(`page/${file}`, `${folder}/${file}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPage();
