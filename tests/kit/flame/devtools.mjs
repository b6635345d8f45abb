// A page in headless Chromium, by the DevTools protocol over a pipe.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class Page {
  #serial = 0;
  #buffered = "";
  #waiting = new Map();
  #session;
  complaints = [];
  requests = [];

  constructor(chromium, folder, flags) {
    this.profile = mkdtempSync(join(folder, "chromium-"));
    this.browser = spawn(chromium, [
      "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--remote-debugging-pipe", "--user-data-dir=" + this.profile, "--window-size=1240,800",
      ...flags, "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.browser.stdio[4].on("data", (chunk) => this.#receive(chunk));
  }

  #receive(chunk) {
    this.#buffered += chunk.toString();
    for (let end; (end = this.#buffered.indexOf("\0")) >= 0;) {
      const message = JSON.parse(this.#buffered.slice(0, end));
      this.#buffered = this.#buffered.slice(end + 1);
      if (message.id) {
        this.#waiting.get(message.id)(message);
        this.#waiting.delete(message.id);
      } else if (message.method === "Runtime.exceptionThrown" ||
                 (message.method === "Log.entryAdded" && message.params.entry.level === "error") ||
                 (message.method === "Runtime.consoleAPICalled" && message.params.type === "error")) {
        this.complaints.push(JSON.stringify(message.params));
      } else if (message.method === "Network.requestWillBeSent") {
        this.requests.push(message.params.request.url);
      }
    }
  }

  send(method, params = {}) {
    const message = { id: ++this.#serial, method, params };
    if (this.#session) message.sessionId = this.#session;
    this.browser.stdio[3].write(JSON.stringify(message) + "\0");
    return new Promise((resolve, reject) => this.#waiting.set(message.id, (answer) =>
      answer.error ? reject(new Error(method + ": " + answer.error.message))
                   : resolve(answer.result)));
  }

  async attach() {
    const { targetInfos } = await this.send("Target.getTargets");
    const { targetId } = targetInfos.find((t) => t.type === "page");
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    this.#session = sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.send(domain + ".enable");
  }

  async ask(expression) {
    const answer = await this.send("Runtime.evaluate", { expression, returnByValue: true });
    if (answer.exceptionDetails)
      throw new Error(expression + ": " + JSON.stringify(answer.exceptionDetails));
    return answer.result.value;
  }

  /* Goes there and waits, for ten seconds at most, until `ready` is true. */
  async open(url, ready) {
    await this.send("Page.navigate", { url: "about:blank" });
    await this.send("Page.navigate", { url });
    for (let i = 0; i < 200; i++) {
      if (await this.ask("document.readyState === 'complete' && location.href !== 'about:blank' && (" + ready + ")"))
        return;
      await new Promise((go) => setTimeout(go, 50));
    }
    throw new Error("the page does not load: " + url);
  }

  async click(expression) {
    const at = await this.ask(`(() => { const b = (${expression}).getBoundingClientRect();
      return { x: b.x + Math.min(b.width / 2, 20), y: b.y + b.height / 2 }; })()`);
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
      await this.send("Input.dispatchMouseEvent",
                      { type, ...at, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
  }

  async key(key, code) {
    for (const type of ["keyDown", "keyUp"])
      await this.send("Input.dispatchKeyEvent", { type, key, windowsVirtualKeyCode: code });
  }

  async shot(file) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    writeFileSync(file, Buffer.from(data, "base64"));
  }

  close() {
    return new Promise((done) => {
      this.browser.on("exit", () => {
        try {
          rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
        } catch { /* the folder goes with the test's */ }
        done();
      });
      this.browser.kill();
    });
  }
}

let failures = 0;

export function check(what, got, wanted) {
  const ok = JSON.stringify(got) === JSON.stringify(wanted);
  if (!ok) failures++;
  console.log((ok ? "ok: " : "FAILED: ") + what +
              (ok ? "" : ": got " + JSON.stringify(got) + ", wanted " + JSON.stringify(wanted)));
}

/* Runs the body with a page and ends the program with 0 or 1. */
export async function withPage(chromium, folder, body, flags = []) {
  const page = new Page(chromium, folder, flags);
  try {
    await page.attach();
    await body(page);
  } catch (error) {
    console.log("FAILED: " + error.stack);
    failures++;
  }
  await page.close();
  process.exit(failures ? 1 : 0);
}
