// Checks report.html in headless Chromium by the DevTools protocol: charts have their data, tooltips
// and zooming work by mouse and keyboard, the console is empty, and nothing uses the network.
//
//   node browser.mjs CHROMIUM FOLDER REPORT
import { check, withPage } from "../flame/devtools.mjs";

const [chromium, folder, report] = process.argv.slice(2);
const chart = "document.querySelector('figure.plot > svg')";
const tip = "(() => { const t = document.querySelector('figure.plot .tip'); return t.hidden ? '' : t.textContent; })()";

await withPage(chromium, folder, async (page) => {
  await page.open("file://" + report, "document.querySelectorAll('figure.plot .tip').length > 4");
  check("a dot for each run", await page.ask(`${chart}.querySelector('.dots').getAttribute('d').split('M').length - 1`), 20);
  check("bars for all runs", await page.ask("document.querySelectorAll('.bars').length"), 1);
  check("memory and power over time", await page.ask("document.querySelectorAll('.line').length >= 3"), true);
  check("a chart for the metric", await page.ask("[...document.querySelectorAll('figcaption')].some((c) => c.textContent === 'n')"), true);

  check("runs are counted from 1", await page.ask(`${chart}.querySelector('.ticks.x text').textContent`), "1");
  check("shares from 0 to 1 in steps", await page.ask(`(() => { const d = [...document.querySelectorAll('figure.plot')]
    .find((f) => f.textContent.startsWith('Share')).querySelector('.line').getAttribute('d'); return /^M0 [\\d.]+(H[\\d.]+L[\\d.]+ [\\d.]+)+H\\d+$/.test(d); })()`), true);
  check("many runs lie over each other", await page.ask(`(() => { const f = [...document.querySelectorAll('figure.plot')]
    .find((f) => f.textContent.startsWith('Memory of the process tree, 20 runs')); return !!f && !!f.querySelector('.band') && f.querySelectorAll('.line').length; })()`), 2);
  check("a last chart fills its row", await page.ask(`[...document.querySelectorAll('.plots')].every((p) => {
    const last = p.lastElementChild.getBoundingClientRect(); return last.right >= p.getBoundingClientRect().right - 1; })`), true);

  const box = await page.ask(`(() => { ${chart}.scrollIntoView({block: 'center'});
    const b = ${chart}.getBoundingClientRect(); return { x: b.x, y: b.y, w: b.width, h: b.height }; })()`);
  const move = (type, share, buttons) => page.send("Input.dispatchMouseEvent", {
    type, x: box.x + share * box.w, y: box.y + box.h / 2, button: type === "mouseMoved" ? "none" : "left", buttons, clickCount: 1 });
  await move("mouseMoved", 0.5, 0);
  check("pointing shows the value", await page.ask(`/^run \\d+: [\\d.]+ \\w+$/.test(${tip})`), true);
  await move("mousePressed", 0.4, 1);
  await move("mouseMoved", 0.6, 1);
  await move("mouseReleased", 0.6, 0);
  check("dragging zooms", await page.ask(`${chart}.dataset.zoomed`), "1");
  check("the axis follows", await page.ask(`+${chart}.querySelector('.ticks.x text').textContent > 4`), true);

  await page.ask(`${chart}.focus()`);
  await page.key("Escape", 27);
  check("Esc shows all", await page.ask(`${chart}.dataset.zoomed`), "");
  await page.key("ArrowRight", 39);
  check("arrows go from run to run", await page.ask(`${tip}.startsWith('run 1:')`), true);
  await page.key("ArrowRight", 39);
  check("a second arrow selects the next run", await page.ask(`${tip}.startsWith('run 2:')`), true);

  // Labels have the size of text and are not truncated, however wide the page is.
  for (const width of [390, 640, 820, 1240]) {
    await page.send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });
    check(`labels at ${width} pixels`, await page.ask(`[...document.querySelectorAll('figure.plot')].every((figure) => {
      const svg = figure.querySelector('svg'), box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
      return [...figure.querySelectorAll('.ticks text')].every((text) => {
        const b = text.getBoundingClientRect(), size = parseFloat(getComputedStyle(text).fontSize) * scale;
        return size >= 8.5 && size <= 14.5 && b.left >= box.left && b.right <= box.right;
      });
    })`), true);
    check(`nothing to scroll sideways at ${width} pixels`, await page.ask("document.documentElement.scrollWidth <= innerWidth"), true);
  }

  // Long names, in a table and above a chart, are broken into lines.
  await page.send("Emulation.setDeviceMetricsOverride", { width: 1200, height: 900, deviceScaleFactor: 1, mobile: false });
  check("nothing is truncated", await page.ask(`(() => {
    for (const e of document.querySelectorAll('h1, figcaption, .head span, .head b, td:first-child')) e.textContent = 'a_long_name_'.repeat(12);
    return [...document.querySelectorAll('.wide, .head, figure, h1')].filter((e) => e.scrollWidth > e.clientWidth + 1).length;
  })()`), 0);

  // The flamegraph is higher than its box, which opens at the root.
  check("the flamegraph opens at its root", await page.ask("(() => { const p = document.querySelector('.picture'); return p.scrollHeight > p.clientHeight && p.scrollTop + p.clientHeight >= p.scrollHeight - 60; })()"), true);

  // Printed pages have two charts side by side and no hints for the mouse.
  await page.send("Emulation.setEmulatedMedia", { media: "print" });
  check("two columns on paper", await page.ask("getComputedStyle(document.querySelector('.plots')).gridTemplateColumns.split(' ').length"), 2);
  check("the whole flamegraph on paper", await page.ask("document.querySelector('iframe').getBoundingClientRect().height"), 52 + 42 * 16 + 48 + 2);
  check("no hints on paper", await page.ask("getComputedStyle(document.querySelector('.hint')).display"), "none");
  await page.send("Emulation.setEmulatedMedia", { media: "", features: [{ name: "prefers-color-scheme", value: "dark" }] });
  check("dark mode follows the system", await page.ask("getComputedStyle(document.body).backgroundColor"), "rgb(18, 22, 28)");
  check("the console is empty", page.complaints, []);
  check("the network is not used", page.requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:") && url !== "about:blank"), []);
});
