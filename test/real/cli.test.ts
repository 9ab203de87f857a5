import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { distFile } from '../support/dist.js';
import { eventually } from '../support/eventually.js';
import { InformerRig } from './informer-rig.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

interface Line {
  readonly type: string;
  readonly key: string;
  readonly resourceVersion: string;
  readonly object?: { readonly data?: Record<string, string>; readonly metadata: { readonly uid: string } };
}

const command = distFile('cli/main.js');
let server: RealApiServer;
beforeAll(async () => {
  server = await startRealApiServer();
});
afterAll(() => server.stop());

describe('kubeflect watch on a real kube-apiserver', () => {
  it('prints every change as JSON, through an outage, and the remaining objects at the end', async () => {
    await using rig = await InformerRig.start(server);
    await rig.churn(10);
    const args = [command, 'watch', 'cm', '-n', rig.namespace, '-o', 'json', '--kubeconfig', server.kubeconfigPath];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const lines: Line[] = [];
    let errors = '';
    createInterface(child.stdout).on('line', (text) => lines.push(JSON.parse(text)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await eventually('the initial list is printed', () => lines.some(({ type }) => type === 'synced'), {
      explain: () => errors,
    });
    await rig.churn(40, 10);
    await server.kill();
    await server.start();
    await rig.churn(40, 50);
    const listed = await rig.listed();
    const known = () => {
      const versions = new Map<string, string>();
      for (const { type, key, resourceVersion } of lines) {
        if (type === 'delete') versions.delete(key);
        else if (type === 'add' || type === 'update') versions.set(key, resourceVersion);
      }
      return Object.fromEntries([...versions].sort());
    };
    await eventually('every change is printed', () => JSON.stringify(known()) === JSON.stringify(listed), {
      explain: () => ({ known: known(), listed, errors }),
    });
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    const final = lines.filter(({ type }) => type === 'final');
    expect(Object.fromEntries(final.map(({ key, resourceVersion }) => [key, resourceVersion]))).toEqual(listed);
    const last = lines.findLast(({ object }) => object !== undefined);
    expect(last?.object?.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  });
});
