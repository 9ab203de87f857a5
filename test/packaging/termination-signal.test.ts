import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { distImport } from '../support/dist.js';

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process that calls `terminationSignal()`, runs `body`, prints `ready`, and ends when nothing keeps it alive. */
function start(body: string): { child: ChildProcess; line: () => Promise<string>; ended: Promise<unknown[]> } {
  const script = `
    import { terminationSignal } from ${distImport('index.js')};
    const signal = terminationSignal();
    ${body}
    console.log('ready');`;
  const args = ['--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return { child, ended: once(child, 'exit'), line: async () => (await lines.next()).value };
}

const stayAlive = 'setInterval(() => {}, 60_000);';

// Windows ends a process at once, also with listeners.
describe.skipIf(process.platform === 'win32')('terminationSignal', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('aborts on %s and does not end the process', async (name) => {
    const { child, line, ended } = start(`
      const alive = ${stayAlive}
      signal.addEventListener('abort', () => { console.log(signal.reason.name, signal.reason.message); clearInterval(alive); });`);
    expect(await line()).toBe('ready');
    child.kill(name);
    expect(await line()).toBe(`AbortError the process received ${name}`);
    expect(await ended).toEqual([0, null]);
  });

  it('ends the process at the second signal, SIGINT or SIGTERM', async () => {
    const { child, line, ended } = start(
      `${stayAlive} signal.addEventListener('abort', () => console.log('stopping'));`,
    );
    expect(await line()).toBe('ready');
    child.kill('SIGTERM');
    expect(await line()).toBe('stopping');
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  });

  it('is one signal with one pair of listeners, which do not keep the process alive', async () => {
    const { line, ended } = start(`
      const others = Array.from({ length: 20 }, () => terminationSignal());
      console.log(others.every((other) => other === signal), process.listenerCount('SIGINT'), process.listenerCount('SIGTERM'));`);
    expect(await line()).toBe('true 1 1');
    expect(await line()).toBe('ready');
    expect(await ended).toEqual([0, null]);
  });
});
