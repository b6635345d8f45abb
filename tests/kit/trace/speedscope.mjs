// Opens the page of speedscope on converted traces, and checks that each is imported and that the table
// of its sandwich view contains the spans.
//
//   node speedscope.mjs CHROMIUM FOLDER SPEEDSCOPE   (the folder of the npm package)
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, withPage } from "../flame/devtools.mjs";

const [chromium, folder, speedscope] = process.argv.slice(2);
const shots = process.env.TACHO_SHOTS;
const body = "document.body.innerText";

await withPage(chromium, folder, async (page) => {
  for (const name of ["array.json", "object.json", "zipped.json.gz", "stacks.folded"]) {
    const file = join(folder, name);
    writeFileSync(file + ".js", `speedscope.loadFileFromBase64(${JSON.stringify(name)}, "${
      readFileSync(file).toString("base64")}")`);
    await page.open(`file://${join(speedscope, "dist/release/index.html")}#localProfilePath=${file}.js`,
                    `/Sandwich|went wrong/.test(${body})`);
    check(name + " is imported", await page.ask(`/Sandwich/.test(${body})`), true);
    if (shots) await page.shot(join(shots, name + ".png"));
    await page.click(`[...document.querySelectorAll("div")].find((e) => /^.{0,3}Sandwich$/.test(e.innerText))`);
    for (let i = 0; i < 100 && !await page.ask(`/outer[^]*target/.test(${body})`); i++)
      await new Promise((go) => setTimeout(go, 50));
    for (const span of ["outer", "inner", "target"])
      check(`${name} shows ${span}`, await page.ask(`${body}.includes("${span}")`), true);
    if (shots) await page.shot(join(shots, name + ".sandwich.png"));
  }
  check("no complaint on the console", page.complaints.filter((c) => !/WebGL|favicon|font/.test(c)), []);
}, ["--enable-unsafe-swiftshader"]);
