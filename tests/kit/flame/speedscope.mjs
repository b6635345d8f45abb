// Tests that speedscope's own importer reads our files: opens its page on each file, as its command
// does, and checks that it shows the profile.
//
//   node speedscope.mjs CHROMIUM TACHO FOLDER SPEEDSCOPE   (the folder of the npm package)
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, withPage } from "./devtools.mjs";

const [chromium, tacho, folder, speedscope] = process.argv.slice(2);
const perf = ["a", "b", "a"].map((leaf, i) => `prog  10/1${i % 2} [000] 1.00${i}000: 5 cycles:\n` +
  `\t 40${i} ${leaf}+0x1 (/bin/prog)\n\t 4ff main+0x2 (/bin/prog)\n\n`).join("");

await withPage(chromium, folder, async (page) => {
  for (const name of ["out.speedscope.json", "out.pb.gz", "out.trace.json"]) {
    const file = join(folder, name);
    execFileSync(tacho, ["flame", "convert", "-q", "-o", file], { input: perf });
    writeFileSync(file + ".js", `speedscope.loadFileFromBase64(${JSON.stringify(name)}, "${
      readFileSync(file).toString("base64")}")`);
    /* The views are offered only once a profile was imported. */
    await page.open(`file://${join(speedscope, "dist/release/index.html")}#localProfilePath=${file}.js`,
                    "/Sandwich|went wrong/.test(document.body.innerText)");
    check(name + " is imported", await page.ask("/Sandwich/.test(document.body.innerText)"), true);
    check("under a name", await page.ask("/. - speedscope$/.test(document.title)"), true);
  }
  check("no complaint on the console", page.complaints.filter((c) => !/WebGL|favicon|font/.test(c)), []);
});
