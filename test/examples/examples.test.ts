import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Program, repository } from '../support/program.js';

const example = (name: string, env: Readonly<Record<string, string>> = {}) =>
  new Program([`examples/${name}.mjs`], { env });

/** The output of each example that runs until it is interrupted, in this order. */
const shown: Readonly<Record<string, readonly RegExp[]>> = {
  'async-iterator': [/^\+ default\/web-0 \(was there\)$/m, /^that is all/m, /^~ default\/web-2 Pending → Running$/m],
  'crd-informer': [/^widgets: waitingForResource$/m, /^widgets: watching$/m, /^default\/front has \d pods$/m],
  'filtered-informer': [
    /^synced: \d pods of web$/m,
    /^running: add web-2 on worker-1$/m,
    /^web: delete default\/web-0$/m,
  ],
  'official-client': [/^added web-0 at 20\d\d-/m, /^updated web-2 Running$/m, /^deleted web-0$/m],
  'pods-table': [/^3 pods\n {2}worker-1\n {4}batch-0 +Pending$/m, /^ {4}web-2 +Running$/m],
  'run-controller': [/^(add default\/shop-\w+\n){3}/m],
};

describe('every example runs as written, on its own cluster', () => {
  it.each(Object.entries(shown))('%s', async (name, patterns) => {
    const program = example(name);
    for (const pattern of patterns) await program.seen(pattern);
    const { code, stderr } = await program.interrupt();
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('dashboard', async () => {
    const program = example('dashboard', { PORT: '0' });
    await program.seen(/^http\S+\/pods$/m);
    const url = program.lines[0] as string;
    expect((await fetch(new URL('/nonsense', url))).status).toBe(404);
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (/event: synced\n/.test(text) && /event: delete\ndata: default\/web-/.test(text)) break;
    }
    expect(text).toMatch(/event: add\ndata: \{"kind":"Pod"/);
    const { code, stderr } = await program.interrupt();
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('controller.test', async () => {
    const { code, stdout } = await new Program(['--test', 'examples/controller.test.mjs']).ended;
    expect(stdout).toContain('scales up and down');
    expect(code).toBe(0);
  });

  it('none is left out', () => {
    const parts = ['cluster', 'clusters', 'controller', 'demo', 'start', 'controller.test', 'dashboard', 'website'];
    const files = readdirSync(join(repository, 'examples')).map((file) => file.replace(/\.mjs$/, ''));
    expect(files.sort()).toEqual([...Object.keys(shown), ...parts].sort());
  });
});
