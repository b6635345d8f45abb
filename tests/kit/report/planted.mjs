// Checks report.html with a planted flamegraph whose script attacks the page: it may draw, and cannot
// access anything.
//
//   node planted.mjs CHROMIUM FOLDER REPORT
import { check, withPage } from "../flame/devtools.mjs";

const [chromium, folder, report] = process.argv.slice(2);

await withPage(chromium, folder, async (page) => {
  const until = async (expression) => {
    for (let i = 0; i < 200; i++) {
      const value = await page.ask(expression);
      if (value) return value;
      await new Promise((done) => setTimeout(done, 50));
    }
    return {};
  };
  await page.open("file://" + report, "document.querySelectorAll('iframe').length === 1");
  await page.ask(`(() => {
    addEventListener('message', (e) => { window.said = e.data; });
    const frame = document.querySelector('iframe');
    frame.src = frame.src; // the script runs again, now with a listener
    const image = new Image();
    image.onerror = () => { window.picture = 'blocked'; };
    image.onload = () => { window.picture = 'loaded'; };
    image.src = location.href.replace('report.html', 'picture.svg');
  })()`);
  const said = await until("window.said || null");
  check("its script runs", said.ran, true);
  check("it cannot read the page", said.read, "SecurityError");
  check("it cannot navigate the page", said.lead, "SecurityError");
  check("it opens no window", said.window, false);
  check("it loads nothing", said.loaded, false);
  check("the page is still there", await page.ask("location.protocol"), "file:");
  check("the policy applies to the page, too", await until("window.picture || null"), "blocked");
});
