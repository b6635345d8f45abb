// report.html in headless Chromium, by the DevTools protocol: the charts have their data, pointing
// and zooming work by mouse and keyboard, nothing on the console, nothing from the network.
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

  const box = await page.ask(`(() => { ${chart}.scrollIntoView({block: 'center'});
    const b = ${chart}.getBoundingClientRect(); return { x: b.x, y: b.y, w: b.width, h: b.height }; })()`);
  const move = (type, share, buttons) => page.send("Input.dispatchMouseEvent", {
    type, x: box.x + share * box.w, y: box.y + box.h / 2, button: type === "mouseMoved" ? "none" : "left", buttons, clickCount: 1 });
  await move("mouseMoved", 0.5, 0);
  check("pointing tells the value", await page.ask(`/^run \\d+: [\\d.]+ \\w+$/.test(${tip})`), true);
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
  check("and on", await page.ask(`${tip}.startsWith('run 2:')`), true);
  check("nothing on the console", page.complaints, []);
  check("nothing from the network", page.requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:") && url !== "about:blank"), []);
});
