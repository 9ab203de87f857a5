// Writes the pictures of docs/inspector.md: every view at three sizes, light and dark, of a process under load with planted problems.
//
//   npm run build && node test/inspector/screenshots.mjs [--png] [folder]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { goTo, Inspected, openPage, sizes, startBrowser } from './inspected.mjs';

const { values, positionals } = parseArgs({
  options: { png: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const folder = positionals[0] ?? fileURLToPath(new URL('../../docs/inspector', import.meta.url));
const format = values.png ? { format: 'png' } : { format: 'webp', quality: 50 };
/** So many seconds of load are in the plots. */
const seconds = 75;
/** How each view is opened. */
const views = {
  picture: (page) => goTo(page, '#/picture', '.stage'),
  object: openObject,
  controllers: (page) => goTo(page, '#/controllers', '.controller-details'),
  memory: (page) => goTo(page, '#/memory', '.memory-bar'),
};

mkdirSync(folder, { recursive: true });
const browser = await startBrowser();
const inspected = await Inspected.start(['--problems', '--changes', '120']);
try {
  const first = await openPage(browser, inspected.url, { size: sizes.desktop, colorScheme: 'light' });
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ['light', 'dark']) {
      const { page, close } = await openPage(browser, inspected.url, { size: viewport, colorScheme });
      for (const [view, open] of Object.entries(views)) {
        await open(page);
        await page.evaluate(() => scrollTo(0, 0));
        // Plots and lists are drawn with the next snapshot.
        await new Promise((resolve) => setTimeout(resolve, 1500));
        await capture(page, `${view}-${size}-${colorScheme}`);
      }
      await close();
    }
  }
  await first.close();
} finally {
  await browser.close();
  await inspected.stop();
}

/** Playwright writes no WebP, the protocol below it does. */
async function capture(page, name) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', format);
  writeFileSync(join(folder, `${name}.${format.format}`), Buffer.from(data, 'base64'));
  await session.detach();
}

async function openObject(page) {
  await goTo(page, '#/object', '.search');
  await page.locator('#search').fill('kind:website');
  await page.locator('.match', { hasText: 'default/shop' }).click();
  await page.locator('.timeline-entries').waitFor();
  await page.evaluate(() => document.activeElement?.blur());
}
