// Starts busy-process.mjs and a Chromium for the tests, the measurement and the screenshots of the inspector's page.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

/** The sizes that the page is looked at: a phone, a tablet, a desktop. */
export const sizes = {
  phone: { width: 360, height: 740 },
  tablet: { width: 820, height: 1100 },
  desktop: { width: 1440, height: 900 },
};

/** A running busy-process.mjs. */
export class Inspected {
  #child;
  #ended;
  #lines;

  /** @param {readonly string[]} args */
  static async start(args) {
    const inspected = new Inspected(args);
    inspected.url = (await inspected.#line()).url;
    return inspected;
  }

  constructor(args) {
    const program = fileURLToPath(new URL('busy-process.mjs', import.meta.url));
    this.#child = spawn(process.execPath, [program, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
      // The planted faults are reported as warnings too.
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** What the program itself knows; see busy-process.mjs. */
  report() {
    this.#child.stdin.write('report\n');
    return this.#line();
  }

  /** Ends it, and resolves when it is gone. */
  stop() {
    this.#child.kill('SIGKILL');
    return this.#ended;
  }

  async #line() {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`busy-process.mjs ended with ${this.#child.exitCode}`);
    return JSON.parse(value);
  }
}

/** Starts the Chromium of `CHROMIUM`, or Debian's. */
export function startBrowser() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(
      `there is no ${executablePath}: install Debian's package chromium, or set CHROMIUM to the path of another one`,
    );
  }
  // Root has no sandbox of Chromium; the page is our own.
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

/**
 * Opens a page that notes what the process sends and what the browser complains about: `window.received` has the snapshots,
 * `complaints` the errors and refused requests of the page, `foreign` requests to other hosts.
 */
export async function openPage(browser, url, { size, colorScheme }) {
  const context = await browser.newContext({ viewport: size, colorScheme });
  const page = await context.newPage();
  const complaints = [];
  const foreign = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !request.url().startsWith('data:'))
      foreign.push(request.url());
  });
  await page.addInitScript(noteSnapshots);
  await page.goto(url);
  await page.locator('.stage').first().waitFor();
  return { page, complaints, foreign, close: () => context.close() };
}

/** Runs in the browser before the page's own script. */
function noteSnapshots() {
  window.received = [];
  const { addEventListener } = EventSource.prototype;
  EventSource.prototype.addEventListener = function add(type, listener) {
    if (type === 'snapshot') {
      addEventListener.call(this, type, (event) => {
        window.received.push(JSON.parse(event.data));
        if (window.received.length > 100) window.received.shift();
      });
    }
    addEventListener.call(this, type, listener);
  };
}

/** Goes to a view by its hash, and waits until it is drawn. */
export async function goTo(page, hash, selector) {
  await page.evaluate((next) => {
    location.hash = next;
  }, hash);
  await page.locator(selector).first().waitFor();
}

/** Stops the display, and returns the snapshot that it shows. */
export function pause(page) {
  return page.evaluate(async () => {
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'p', bubbles: true }));
    const shown = window.received.at(-1);
    for (let i = 0; i < 3; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
    return shown;
  });
}
