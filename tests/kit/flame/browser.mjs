// Tests the SVG in headless Chromium, by the DevTools protocol over a pipe: search, zoom and reset by
// real clicks and keys, the deep link, hostile names, and nothing on the console.
//
//   node browser.mjs CHROMIUM TACHO FOLDER [SCREENSHOTS]
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, withPage } from "./devtools.mjs";

const [chromium, tacho, folder, screenshots] = process.argv.slice(2);
let page;
const ask = (expression) => page.ask(expression);
const click = (expression) => page.click(expression);
const key = (k, code) => page.key(k, code);
const open = (url) => page.open(url, "!!document.querySelector('svg.tacho-flame .reset')");
const shot = async (name) => screenshots && page.shot(join(screenshots, name + ".png"));

const frame = (name) => `[...document.querySelectorAll('.frames g')].find(
  (g) => g.querySelector('title').textContent.startsWith('${name} (') && !g.classList.contains('off'))`;
const shown = "[...document.querySelectorAll('.frames g:not(.off)')].map((g) => g.querySelector('title').textContent.split(' (')[0]).sort()";
const above = "[...document.querySelectorAll('.frames g.above')].map((g) => g.querySelector('title').textContent.split(' (')[0])";
const matched = "document.querySelector('.matched').textContent";

function draw(name, folded, ...options) {
  const svg = join(folder, name);
  execFileSync(tacho, ["flame", "draw", "-q", "-o", svg, ...options], { input: folded });
  return "file://" + svg;
}

// Labels that are drawn wider than their frames, or over one another.
const overlaps = `(() => { let bad = 0;
  for (const g of document.querySelectorAll('.frames g:not(.off)')) {
    const t = g.querySelector('text');
    if (!t || !t.textContent) continue;
    if (t.getComputedTextLength() > g.querySelector('rect').getBoundingClientRect().width) bad++;
  }
  return bad; })()`;

async function simple() {
  const url = draw("simple.svg", "main;parse;read 30\nmain;parse;lex 10\nmain;emit;write 40\nidle 20\n");
  await open(url);
  await shot("simple");
  check("all frames are shown", await ask(shown), ["all", "emit", "idle", "lex", "main", "parse", "read", "write"]);

  await click(frame("parse"));
  check("a click zooms", await ask(shown), ["all", "lex", "main", "parse", "read"]);
  check("ancestors are dimmed", await ask(above), ["main"]);
  check("the zoomed frame is as wide as the picture",
        await ask(`Math.round(${frame("parse")}.querySelector('rect').getBoundingClientRect().width)`),
        await ask("Math.round(document.querySelector('svg.frames').getBoundingClientRect().width)"));
  check("the address has the zoom", await ask("location.hash"), "#flame=2,60,40");
  await shot("zoomed");
  await click("document.querySelector('.reset')");
  check("reset shows all again", (await ask(shown)).length, 8);
  check("and clears the address", await ask("location.hash"), "");

  await click("document.querySelector('input')");
  await page.send("Input.insertText", { text: "e(ad|mit)" });
  check("search counts each sample once", await ask(matched), "2 frames found: 70 samples, 70.00%");
  check("matches are marked", await ask("document.querySelectorAll('.frames g.found').length"), 2);
  await shot("searched");
  await key("Enter", 13);
  check("the address has the search", await ask("location.hash"), "#flame=/e(ad%7Cmit)");
  await key("Escape", 27);
  check("Escape ends the search", await ask("document.querySelectorAll('.frames g.found').length"), 0);

  await open(url + "#flame=2,60,40/read");
  check("a deep link zooms", await ask(shown), ["all", "lex", "main", "parse", "read"]);
  check("and searches", await ask(matched), "1 frame found: 30 samples, 30.00%");
  await key("Escape", 27);
  await key("Home", 36);
  check("keys undo both", [await ask(matched), (await ask(shown)).length], ["", 8]);
  await key("ArrowUp", 38);
  await key("ArrowUp", 38);
  await key("ArrowUp", 38);
  check("arrows walk the frames", await ask("document.querySelector('.details').textContent"),
        "40.00%, 40 samples  emit");
  await key("Enter", 13);
  check("Enter zooms", await ask(shown), ["all", "emit", "main", "write"]);
  await ask("history.back()");
  await new Promise((go) => setTimeout(go, 300));
  check("Back undoes the zoom", (await ask(shown)).length, 8);

  const top = await ask(`${frame("all")}.querySelector('rect').getBoundingClientRect().y`);
  await click("document.querySelector('.flip')");
  check("flip turns it over",
        await ask(`${frame("all")}.querySelector('rect').getBoundingClientRect().y`) < top, true);
  await key("t", 84);
  check("dark mode", await ask("document.documentElement.dataset.theme"), "dark");
  await shot("dark");
}

async function hostile() {
  const long = "l".repeat(100000);
  const names = ["</script><script>alert(1)</script>", "\"><script>window.bad=1</script>", "&#x0;&lt;",
                 "]]><script>window.bad=2</script>", "<img src=x onerror=window.bad=3>",
                 "\u05e9\u05dc\u05d5\u05dd \u202eevil", "\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57", "a'b\"c&d<e>f", long];
  const bytes = Buffer.concat([Buffer.from(names.map((n) => n + ";leaf 10\n").join("")),
                               Buffer.from([0xff, 0xfe, 0x41, 0x01, 0x3b, 0x62, 0x20, 0x35, 0x0a])]);
  await open(draw("hostile.svg", bytes, "--title", "</title><script>window.bad=4</script>",
                  "--subtitle", names[1], "--notes", "--></desc><script>window.bad=5</script>",
                  "--count-name", "<b>\""));
  await shot("hostile");
  check("no name runs", await ask("window.bad === undefined && document.querySelectorAll('script').length"), 1);
  check("names are text", await ask(`[...document.querySelectorAll('title')].filter(
    (t) => t.textContent.startsWith('</script><script>alert(1)</script> (')).length`), 1);
  check("labels fit their frames", await ask(overlaps), 0);
  check("tooltips stay short", await ask("Math.max(...[...document.querySelectorAll('title')].map((t) => t.textContent.length)) < 1100"), true);

  const svg = readFileSync(join(folder, "hostile.svg")).toString().replace(/^<\?xml.*\n/, "");
  writeFileSync(join(folder, "inline.html"), "<!DOCTYPE html><meta charset=utf-8><title>t</title><h1>Report</h1>" + svg + "<p id=after>after</p>");
  await open("file://" + join(folder, "inline.html"));
  await shot("inline");
  check("no name runs inside HTML", await ask("window.bad === undefined && document.querySelectorAll('script').length"), 1);
  check("the rest of the page is unchanged", await ask("document.querySelector('body > #after').textContent"), "after");
  await click(frame("&#x0"));
  check("zoom works inside HTML", await ask(shown), ["", "&#x0", "&lt", "all", "leaf"]);
}

// A picture that is taller than its window, or than what scrolls around it.
async function deep() {
  const folded = "main;" + [...Array(150).keys()].map((i) => "f" + i).join(";") + " 10\nmain;f0;g 5\n";
  const inView = (e) => `(() => { const b = (${e}).getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight && b.height > 0; })()`;
  const all = frame("all") + ".querySelector('rect')", box = "document.querySelector('input')";
  const url = draw("deep.svg", folded);
  await page.send("Emulation.setDeviceMetricsOverride", { width: 1200, height: 800, deviceScaleFactor: 1, mobile: false });
  await open(url);
  await shot("deep");
  check("a deep picture opens at its root", await ask(inView(all)), true);
  check("with the search in view", await ask(inView(box)), true);
  check("nothing extends beyond 1200 pixels", await ask(`[...document.querySelectorAll('text, input')].every(
    (e) => { const b = e.getBoundingClientRect(); return b.left >= 0 && b.right <= innerWidth; })`), true);
  await click("document.querySelector('.flip')");
  check("flipped it shows its root, too", await ask(inView(all)), true);
  await click(box);
  await page.send("Input.insertText", { text: "f140" });
  await key("Enter", 13);
  check("a match comes into view", await ask(inView(frame("f140") + ".querySelector('rect')")), true);
  await open(draw("icicle.svg", folded, "--inverted"));
  check("an icicle opens at its root", await ask(inView(all)), true);
  await open(url + "#flame=100,0,10");
  check("a deep link shows the frame", await ask(inView(frame("f98") + ".querySelector('rect')")), true);

  const svg = readFileSync(join(folder, "deep.svg")).toString().replace(/^<\?xml.*\n/, "");
  writeFileSync(join(folder, "scroll.html"), "<!DOCTYPE html><meta charset=utf-8><title>t</title><div style='height:400px;overflow:auto;border:5px solid'>" + svg + "</div>");
  await open("file://" + join(folder, "scroll.html"));
  check("inside an element that scrolls, it opens at its root", await ask(`(() => { const b = ${all}.getBoundingClientRect(),
    d = document.querySelector('div').getBoundingClientRect(); return b.top >= d.top && b.bottom <= d.bottom; })()`), true);

  await open(url);
  const at = await ask("scrollY");
  const { data } = await page.send("Page.printToPDF");
  check("it is printed on one page", Buffer.from(data, "base64").toString("latin1").match(/\/Type \/Page\b/g).length, 1);
  check("and is where it was afterwards", [await ask("scrollY"), await ask("document.documentElement.hasAttribute('viewBox')")], [at, false]);
  await page.send("Emulation.setEmulatedMedia", { media: "print" });
  await ask("window.dispatchEvent(new Event('beforeprint'))");
  check("whole", await ask(`(() => { const frames = [...document.querySelectorAll('.frames rect')].map((e) => e.getBoundingClientRect());
    return frames.every((b) => b.top >= 0 && b.bottom <= innerHeight && b.left >= 0 && b.right <= innerWidth); })()`), true);
  check("without its buttons", await ask("[...document.querySelectorAll('.button, input')].every((e) => e.getClientRects().length === 0)"), true);
  await ask("window.dispatchEvent(new Event('afterprint'))");
  await page.send("Emulation.setEmulatedMedia", { media: "" });
  await page.send("Emulation.clearDeviceMetricsOverride");
}

async function large() {
  let folded = "", seed = 1;
  const next = (n) => { seed = (seed * 48271) % 2147483647; return Math.floor(seed / 1024) % n; };
  for (let i = 0; i < 60000; i++) {
    let stack = "root", depth = 5 + next(25);
    for (let d = 0; d < depth; d++) stack += ";function_" + d + "_" + next(3);
    folded += stack + " " + (1 + next(5)) + "\n";
  }
  await open(draw("large.svg", folded, "--palette", "library", "--min-width", "0"));
  await shot("large");
  const count = await ask("document.querySelectorAll('.frames g').length");
  check("many frames, and not too many", count > 5000 && count <= 20000, true);
  check("the note says what is missing", await ask("/frames of fewer than .* are not shown/.test(document.querySelector('.pruned').textContent)"), true);
  const ms = await ask(`(() => { const t = performance.now();
    ${frame("function_0_1")}.querySelector('rect').dispatchEvent(new MouseEvent('click', {bubbles: true}));
    document.querySelector('rect').getBoundingClientRect(); return performance.now() - t; })()`);
  console.log("a zoom among " + count + " frames: " + ms.toFixed(0) + " ms");
  check("labels fit their frames", await ask(overlaps), 0);
}

// Long names are shortened in the middle, template arguments first; the frame under the mouse has them.
async function long() {
  const name = "store::detail::table<std::pair<int, std::vector<long>>, std::allocator<char>>::insert_unique";
  await open(draw("names.svg", "main;" + name + " 35\nmain;operator< 20\nmain;" + "n".repeat(200) + "::last 45\n", "--width", "1200"));
  const text = (start) => `[...document.querySelectorAll('.frames g')].find((g) => g.querySelector('title').textContent.startsWith('${start}')).querySelector('text').textContent`;
  check("template arguments are left out", await ask(text("store")), "store::detail::table\u2039\u2026\u203a::insert_unique");
  check("but not the name of an operator", await ask(text("operator<")), "operator<");
  check("both ends of a name are kept", await ask(`/^n+\u2026n*::last$/.test(${text("nnn")})`), true);
  check("labels fit their frames", await ask(overlaps), 0);
  await ask(`[...document.querySelectorAll('.frames g')].find((g) => g.querySelector('title').textContent.startsWith('store')).querySelector('rect').dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))`);
  check("the frame under the mouse has its arguments", await ask(`${text("store")}.includes("<std") || ${text("store")}.includes(">::insert")`), true);
  check("the status line starts with the numbers", await ask("document.querySelector('.details').textContent"),
        "35.00%, 35 samples  " + name);
  await shot("names");
}

// Frames that are too narrow to draw are found by search and shown by zoom.
async function narrow() {
  let folded = "main;wide 100000\n";
  for (let i = 0; i < 40; i++) folded += "main;parent;narrow_" + i + ";" + "deep;".repeat(30) + "leaf 3\n";
  const url = draw("narrow.svg", folded, "--min-width", "0.1");
  const settled = () => new Promise((go) => setTimeout(go, 50));
  const eventually = async (expression) => { for (let i = 0; i < 200 && !await ask(expression); i++) await settled(); return ask(expression); };
  await open(url);
  check("narrow frames are not drawn", await ask(shown), ["all", "main", "parent", "wide"]);
  check("the note says so", await ask("document.querySelector('.pruned').textContent"),
        "1,280 frames of fewer than 101 samples are not shown; 0.12% of all end in them. Search finds them, zoom shows them.");
  await click("document.querySelector('input')");
  await page.send("Input.insertText", { text: "narrow_1" });
  check("search finds them", await eventually(`${matched}.startsWith("11 frames") && ${matched}`),
        "11 frames found: 33 samples, 0.03% (11 only when zoomed)");
  const height = "document.documentElement.height.baseVal.value";
  const before = await ask(height);
  await click(frame("parent"));
  check("zoom shows them", await eventually(`!!(${frame("narrow_7")})`), true);
  check("with all their callees", await ask("[...document.querySelectorAll('.frames g')].filter((g) => g.querySelector('title').textContent.startsWith('leaf (3 samples, ')).length"), 40);
  check("in a higher picture", await ask(height) > before, true);
  check("labels fit their frames", await ask(overlaps), 0);
  await shot("narrow");
  await click("document.querySelector('.reset')");
  check("reset hides them again", [await ask(shown), await ask(height)], [["all", "main", "parent", "wide"], before]);
  await open(url + "#flame=3,6,3");
  check("a link to one of them works", await eventually(`!!(${frame("leaf")})`), true);
}

await withPage(chromium, folder, async (opened) => {
  page = opened;
  await simple();
  await hostile();
  await deep();
  await long();
  await narrow();
  await large();
  check("no complaint on the console", page.complaints, []);
  check("no request but for the files themselves",
        page.requests.filter((url) => !url.startsWith("file://") && url !== "about:blank"), []);
});
