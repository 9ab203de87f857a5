import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flowOf } from '../../src/inspector/page/flow.js';
import { bytes, count, rate } from '../../src/inspector/page/format.js';
import type { ControllersAnswer, MemoryAnswer, ObjectAnswer, Problem, Snapshot } from '../../src/inspector/protocol.js';
import { requireFreshDist } from '../support/dist.js';
// @ts-expect-error plain JavaScript, shared with the measurement and the screenshots
import { goTo, Inspected, openPage, pause, sizes, startBrowser } from './inspected.mjs';

interface Opened {
  readonly page: Page;
  readonly complaints: string[];
  readonly foreign: string[];
  close(): Promise<void>;
}

interface Report {
  readonly objects: Readonly<Record<string, number>>;
  readonly pid: number;
}

interface Running {
  readonly url: string;
  report(): Promise<Report>;
  stop(): Promise<void>;
}

const views = {
  picture: '.stage',
  object: '.search',
  controllers: '.controller-details',
  memory: '.memory-bar',
} as const;
type ViewName = keyof typeof views;
const viewNames = Object.keys(views) as ViewName[];
const schemes = ['light', 'dark'] as const;
const planted: readonly Problem['kind'][] = ['deaf', 'slowHandler', 'hotKey', 'failingKey'];

let browser: Browser;
let inspected: Running;

beforeAll(async () => {
  requireFreshDist();
  browser = await startBrowser();
  inspected = await Inspected.start(['--problems', '--changes', '50']);
});

afterAll(async () => {
  await browser?.close();
  await inspected?.stop();
});

/** A page of the process, closed when the work is done; nothing may have been blocked or fetched from elsewhere. */
async function onPage(
  work: (page: Page) => Promise<void>,
  { size = sizes.desktop as { width: number; height: number }, colorScheme = 'light' as 'light' | 'dark' } = {},
): Promise<void> {
  const opened: Opened = await openPage(browser, inspected.url, { size, colorScheme });
  try {
    await work(opened.page);
    expect(opened.complaints).toEqual([]);
    expect(opened.foreign).toEqual([]);
  } finally {
    await opened.close();
  }
}

const show = (page: Page, view: ViewName): Promise<void> => goTo(page, `#/${view}`, views[view]);
const words = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The texts of elements as they are drawn, without those that have no room. */
async function texts(page: Page, selector: string): Promise<string[]> {
  return (await page.locator(selector).allInnerTexts()).map(words);
}

/** The same of the first one. */
async function text(page: Page, selector: string): Promise<string> {
  await page.locator(selector).first().waitFor();
  return (await texts(page, selector))[0]!;
}

/** Waits until the process reports all planted problems. */
async function reported(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate('window.received.at(-1)?.problems.map(({ kind }) => kind) ?? []'))
    .toEqual(expect.arrayContaining([...planted]));
}

/** The JSON that the page gets from a path while `work` is done. */
async function answered<T>(page: Page, path: string, work: () => Promise<void>): Promise<T> {
  const response = page.waitForResponse((candidate) => candidate.url().includes(path) && candidate.ok());
  await work();
  return (await (await response).json()) as T;
}

describe('problems', () => {
  it.each(Object.entries(sizes as Record<string, { width: number; height: number }>))(
    'that were planted are visible on a %s without scrolling, in every view',
    async (_, size) => {
      await onPage(
        async (page) => {
          await reported(page);
          for (const view of viewNames) {
            await show(page, view);
            for (const kind of planted) {
              const line = page.locator(`[data-problem="${kind}"]`).first();
              await line.waitFor();
              const box = await line.boundingBox();
              expect(box!.y).toBeGreaterThanOrEqual(0);
              expect(box!.y + box!.height, `${kind} in ${view}`).toBeLessThanOrEqual(size.height);
            }
            expect(await page.evaluate('scrollY')).toBe(0);
          }
        },
        { size },
      );
    },
  );

  it('mark the stages of the picture, and lead to them', async () => {
    await onPage(async (page) => {
      await reported(page);
      for (const name of ['Reflector', 'Reconciles']) {
        await expect.poll(() => page.locator(`[data-stage="${name}"].bad`).count()).toBe(1);
      }
      await page.locator('[data-problem="deaf"] a').click();
      await page.locator('.details').waitFor();
      expect(await text(page, '.details')).toMatch(/^nodes\S* informer/);
    });
  });
});

describe('what the page shows equals what the process reports', () => {
  it('in the picture', async () => {
    await onPage(async (page) => {
      await reported(page);
      const snapshot: Snapshot = await pause(page);
      for (const stage of flowOf(snapshot)) {
        const box = await text(page, `[data-stage="${stage.name}"]`);
        expect(box).toContain(`${rate(stage.rate)} ${stage.unit}`);
        for (const { name, text } of stage.lines) expect(box).toContain(`${name} ${text}`);
      }
      for (const { id, name, state, objects, errorsTotal } of snapshot.informers) {
        const row = await text(page, `[data-id="${id}"]`);
        for (const part of [name, state, `objects ${count(objects)}`, `errors ${count(errorsTotal)}`])
          expect(row).toContain(part);
      }
      for (const { id, name, rate: calls, depth } of snapshot.handlers) {
        const row = await text(page, `[data-id="${id}"]`);
        for (const part of [name, `calls per second ${rate(calls)}`, `pending ${count(depth)}`])
          expect(row).toContain(part);
      }
      for (const { id, name, depth } of snapshot.queues) {
        const row = await text(page, `[data-id="${id}"]`);
        for (const part of [name, `items ${count(depth)}`]) expect(row).toContain(part);
      }
      // Further ones are folded.
      const titles = snapshot.problems.slice(0, 5).map(({ title }) => words(title));
      expect(await texts(page, '.problems > ul > li > a')).toEqual(titles);
    });
  });

  it('and what the program itself knows', async () => {
    await onPage(async (page) => {
      await reported(page);
      const { objects, pid } = await inspected.report();
      const snapshot: Snapshot = await pause(page);
      expect(snapshot.process.pid).toBe(pid);
      for (const [resource, number] of Object.entries(objects)) {
        const { id } = snapshot.informers.find((informer) => informer.resource === resource)!;
        expect(await text(page, `[data-id="${id}"]`)).toContain(`objects ${number} `);
      }
    });
  });

  it('for controllers', async () => {
    await onPage(async (page) => {
      await reported(page);
      const snapshot: Snapshot = await pause(page);
      const { id, outcomes } = snapshot.controllers.find(({ name }) => name === 'websites')!;
      const answer = await answered<ControllersAnswer>(page, 'api/controllers', () =>
        goTo(page, `#/controllers?stage=${encodeURIComponent(id)}`, views.controllers),
      );
      for (const [outcome, number] of Object.entries(outcomes)) {
        expect(await text(page, `[data-outcome="${outcome}"]`)).toBe(`${outcome} ${count(number)}`);
      }
      const { failing, recent } = answer.controllers.find((controller) => controller.id === id)!;
      expect(failing.map(({ key }) => key)).toEqual(['default/broken']);
      const rows = await texts(page, '[aria-label="Failing keys"] tbody tr');
      expect(rows).toHaveLength(1);
      for (const part of ['default/broken', failing[0]!.why, String(failing[0]!.attempt)])
        expect(rows[0]).toContain(part);
      const runs = await texts(page, '[aria-label="Last runs"] tbody tr');
      expect(runs.map((row) => row.split(' ')[0])).toEqual(recent.slice(0, 12).map(({ key }) => key));
    });
  });

  it('for one object, with differences, handlers, runs, writes and echoes', async () => {
    await onPage(async (page) => {
      await reported(page);
      await show(page, 'object');
      await page.locator('#search').fill('kind:website default/shop');
      await page.locator('.match', { hasText: 'default/shop' }).click();
      // The process changes it every few seconds.
      await expect.poll(() => texts(page, '.timeline .chip.accent').then((all) => all.join(' '))).toContain('echo of');
      await pause(page);
      const address = await page.evaluate('location.hash');
      const answer = await answered<ObjectAnswer>(page, 'api/object', async () => {
        await page.reload();
        await pause(page);
        await page.locator('.timeline-entries li').first().waitFor();
      });
      expect(await page.evaluate('location.hash')).toBe(address);
      expect(answer.key).toBe('default/shop');
      const entries = await texts(page, '.timeline-entries > li');
      expect(entries).toHaveLength(answer.timeline.length);
      const all = entries.join('\n');
      expect(all).toContain('spec.replicas');
      expect(all).toContain('apply deployments.apps default/shop');
      for (const [at, entry] of answer.timeline.toReversed().entries()) {
        const shown = entries[at]!;
        if (entry.type === 'change') {
          for (const { path, before, after } of entry.fields.slice(0, 8)) {
            for (const part of [path, before, after]) if (part !== null) expect(shown).toContain(words(part));
          }
          if (entry.echoOf !== null)
            expect(shown).toContain(`by ${entry.echoOf.controller} for ${entry.echoOf.runKey}`);
        } else if (entry.type === 'run') {
          for (const part of [entry.controller, entry.outcome ?? 'running']) expect(shown).toContain(part);
          for (const { verb, resource, key } of entry.writes) expect(shown).toContain(`${verb} ${resource} ${key}`);
        } else if (entry.type === 'handled') expect(shown).toContain(`handler ${entry.name}`);
        else expect(shown).toContain(`written by ${entry.controller}`);
      }
    });
  });

  it('for memory', async () => {
    await onPage(async (page) => {
      const answer = await answered<MemoryAnswer>(page, 'api/memory', () => show(page, 'memory'));
      expect(answer.informers.length).toBeGreaterThan(0);
      for (const { name, objects, objectBytes, indexes } of answer.informers) {
        const panel = await text(page, `.memory-view [aria-label="${name}"]`);
        expect(panel).toContain(`${count(objects)} object`);
        expect(panel).toContain(bytes(objectBytes));
        for (const index of indexes) expect(panel).toContain(`${index.name} ${bytes(index.bytes)}`);
      }
    });
  });
});

describe('the page', () => {
  it('never gets the value of a Secret', async () => {
    await onPage(async (page) => {
      const answer = await answered<ObjectAnswer>(page, 'api/object', async () => {
        await show(page, 'object');
        await page.locator('#search').fill('kind:secret tls');
        await page.locator('.match', { hasText: 'default/tls' }).click();
        await page.locator('.timeline').waitFor();
      });
      const value = 'a-secret-value';
      for (const form of [value, Buffer.from(value).toString('base64')]) {
        expect(JSON.stringify(answer)).not.toContain(form);
        expect(await page.content()).not.toContain(form);
      }
      expect(answer.hidden).toContain('data.password');
    });
  });

  it('is used with the keyboard, and explains the keys', async () => {
    await onPage(async (page) => {
      for (const [at, view] of viewNames.entries()) {
        await page.keyboard.press(String(at + 1));
        await page.locator(views[view]).first().waitFor();
        expect(await text(page, '.views [aria-current="page"]')).toMatch(new RegExp(`^${view}`, 'i'));
      }
      await page.keyboard.press('/');
      await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('search');
      await page.keyboard.type('kind:pod web-1?');
      expect(await page.locator('#search').inputValue()).toBe('kind:pod web-1?');
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      const help = await text(page, 'dialog[open]');
      for (const key of ['1', '2', '3', '4', '/', 'j', 'k', 'p', 't', '?', 'Escape']) expect(help).toContain(key);
      await page.keyboard.press('Escape');
      await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
      await page.keyboard.press('1');
      await page.locator('.row[data-row]').first().waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('k');
      expect(
        await page.evaluate(`[...document.querySelectorAll('main [data-row]')].indexOf(document.activeElement)`),
      ).toBe(0);
      await page.keyboard.press('Enter');
      await page.locator('.details').waitFor();
    });
  });

  it('is dark where the system is, and the switch changes that', async () => {
    const dark = () => (page: Page) => page.evaluate('document.documentElement.dataset.theme');
    await onPage(
      async (page) => {
        expect(await dark()(page)).toBe('dark');
        await page.keyboard.press('t');
        await expect.poll(() => dark()(page)).toBe('light');
        await page.reload();
        await page.locator('.stage').first().waitFor();
        expect(await dark()(page)).toBe('light');
      },
      { colorScheme: 'dark' },
    );
  });

  it.each(Object.entries(sizes as Record<string, { width: number; height: number }>))(
    'is not wider than a %s',
    async (_, size) => {
      await onPage(
        async (page) => {
          for (const view of viewNames) {
            await show(page, view);
            expect(await page.evaluate('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(size.width);
          }
        },
        { size },
      );
    },
  );

  it.each(schemes)('has no serious problem of accessibility, %s', async (colorScheme) => {
    for (const size of [sizes.desktop, sizes.phone]) {
      await onPage(
        async (page) => {
          await reported(page);
          for (const view of viewNames) {
            await show(page, view);
            if (view === 'object') {
              await page.locator('#search').fill('kind:website');
              await page.locator('.match').first().click();
              await page.locator('.timeline').waitFor();
            }
            await page.evaluate(axe.source);
            const found = (await page.evaluate('axe.run(document)')) as axe.AxeResults;
            const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
            expect(
              serious.map(({ id, nodes }) => `${view}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`),
            ).toEqual([]);
          }
        },
        { size, colorScheme },
      );
    }
  });

  it('has a policy that allows its own script and style only', async () => {
    const response = await fetch(inspected.url);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it('says that the connection is lost, and keeps the last state', async () => {
    const other: Running = await Inspected.start(['--changes', '5']);
    const opened: Opened = await openPage(browser, other.url, { size: sizes.desktop, colorScheme: 'light' });
    try {
      await expect
        .poll(() => texts(opened.page, '.informers .row[data-row]').then(({ length }) => length))
        .toBeGreaterThan(3);
      await other.stop();
      await expect.poll(() => texts(opened.page, '.connection')).toEqual([expect.stringContaining('lost')]);
      expect(await text(opened.page, '.notice')).toContain('The connection with the process is lost');
      expect(await opened.page.locator('.informers .row[data-row]').count()).toBeGreaterThan(3);
    } finally {
      await opened.close();
      await other.stop();
    }
  });
});
