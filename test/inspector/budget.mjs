// Measures how long the main thread of the inspector's page is busy in a second, from a trace of Chromium: with a process that has 50,000 pods
// and 2,000 changes a second.
//
//   npm run build && node test/inspector/budget.mjs [--pods 50000] [--rate 2000] [--seconds 20]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { goTo, Inspected, openPage, sizes, startBrowser } from './inspected.mjs';

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '50000' },
    rate: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '20' },
  },
});
const [seconds, rate] = [Number(values.seconds), Number(values.rate)];
const views = { picture: '.stage', object: '.timeline', controllers: '.controller-details', memory: '.memory-bar' };

const server = spawn(
  process.execPath,
  [
    fileURLToPath(new URL('../../bench/load-server/server.mjs', import.meta.url)),
    ...['--pods', values.pods, '--rate', values.rate, '--events', String(rate * (seconds + 15) * 6)],
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
let browser;
let inspected;
try {
  const [line] = await once(server.stdout.setEncoding('utf8'), 'data');
  inspected = await Inspected.start(['--load-server', /http:\/\/\S+/.exec(line)[0], '--for', '900']);
  browser = await startBrowser();
  const { page } = await openPage(browser, inspected.url, { size: sizes.desktop, colorScheme: 'light' });
  await page.waitForFunction(
    (pods) => window.received.at(-1)?.informers.some(({ objects }) => objects >= pods),
    Number(values.pods),
  );
  console.log(`${values.pods} pods; busy ms of the main thread in each of ${seconds} seconds`);
  for (const [view, selector] of Object.entries(views)) {
    if (view === 'object') await openBusiestPod(page);
    else await goTo(page, `#/${view}`, selector);
    await page.waitForTimeout(2000);
    const { perSecond, changes } = await measure(page);
    const sorted = perSecond.toSorted((a, b) => a - b);
    const mean = perSecond.reduce((sum, ms) => sum + ms, 0) / perSecond.length;
    console.log(
      `${view.padEnd(12)} mean ${mean.toFixed(0)}, median ${sorted[sorted.length >> 1].toFixed(0)}, most ${sorted.at(-1).toFixed(0)}; ${changes} changes/s reported`,
    );
  }
} finally {
  await browser?.close();
  await inspected?.stop();
  server.kill('SIGKILL');
}

/** A pod of the load that has changed. */
async function openBusiestPod(page) {
  await goTo(page, '#/object', '.search');
  await page.locator('#search').fill('kind:pod app-7-');
  await page.locator('.match').first().click();
  await page.locator('.timeline').waitFor();
}

/** The busy time of each second, and the changes per second that the process reports. */
async function measure(page) {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] });
  await page.waitForTimeout(seconds * 1000);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const changes = await page.evaluate(() => {
    const { informers } = window.received.at(-1);
    return Math.round(informers.reduce((sum, informer) => sum + informer.rate, 0));
  });
  return { perSecond: busySeconds(traceEvents), changes };
}

/** The tasks of the main thread that ran the page: of the renderers, that with the most tasks. */
function busySeconds(events) {
  const threads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = new Map([...threads].map((thread) => [thread, []]));
  for (const event of events) if (event.name === 'RunTask') tasks.get(`${event.pid} ${event.tid}`)?.push(event);
  const [ofPage] = [...tasks.values()].sort((a, b) => b.length - a.length);
  const begin = Math.min(...ofPage.map(({ ts }) => ts));
  const perSecond = new Array(seconds).fill(0);
  for (const { ts, dur = 0 } of ofPage) {
    const second = Math.floor((ts - begin) / 1e6);
    if (second < seconds) perSecond[second] += dur / 1000;
  }
  return perSecond;
}
