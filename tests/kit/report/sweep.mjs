// Checks the report of a sweep in headless Chromium: figures have their data, tooltips are right on
// logarithmic axes, the table sorts, the console is empty, and nothing uses the network.
//
//   node sweep.mjs CHROMIUM FOLDER REPORT
import { check, withPage } from "../flame/devtools.mjs";

const [chromium, folder, report] = process.argv.slice(2);
const chart = "[...document.querySelectorAll('figure.plot')].find((f) => f.textContent.startsWith('steps')).querySelector('svg')";
const column = (i) => `[...document.querySelectorAll('table.sort tr')].slice(1).map((r) => r.cells[${i}].textContent)`;

await withPage(chromium, folder, async (page) => {
  await page.open("file://" + report, "document.querySelectorAll('figure.plot .tip').length > 0");
  check("a dot for each cell", await page.ask(`${chart}.querySelectorAll('.dots').length + ' ' +
    ${chart}.querySelector('.dots').getAttribute('d').split('M').length`), "2 6");
  check("a fit for each line", await page.ask(`${chart}.querySelectorAll('.fit').length`), 2);
  check("powers of ten", await page.ask(`[...${chart}.querySelectorAll('.ticks.x text')].map((t) => t.textContent).join()`), "10,100,1000,10k,100k");
  await page.ask(`${chart}.focus()`);
  for (let i = 0; i < 5; i++) await page.key("ArrowRight", 39);
  check("pointing shows the value", await page.ask(`${chart}.parentNode.querySelector('.tip').textContent`), "n 1000: 1000");
  await page.key("+", 187);
  check("zooming", await page.ask(`${chart}.dataset.zoomed`), "1");
  check("the axis follows", await page.ask(`${chart}.querySelectorAll('.ticks.x text').length > 0`), true);
  check("every map has all cells", await page.ask("document.querySelectorAll('.heat g').length % 10"), 0);
  check("the best are framed", await page.ask("document.querySelectorAll('.heat .chosen').length > 0"), true);

  const before = await page.ask(column(1));
  await page.ask("document.querySelectorAll('table.sort th')[1].click()");
  check("sorts by number", await page.ask(column(1)), [...before].sort((a, b) => a - b));
  await page.ask("document.querySelectorAll('table.sort th')[1].click()");
  check("sorts backwards", await page.ask(column(1)), [...before].sort((a, b) => b - a));
  check("links to the cells", await page.ask("document.querySelectorAll('table.sort a[href$=\"/report.html\"]').length"), 10);
  check("the console is empty", page.complaints, []);
  check("the network is not used", page.requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:") && url !== "about:blank"), []);
});
