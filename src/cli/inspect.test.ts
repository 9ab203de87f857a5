import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServing } from '../../test/support/serving-command.js';
import { TempFolder } from '../../test/support/temp-folder.js';
import { type ApiServer, startApiServer } from '../apiserver/server.js';

let api: ApiServer;
beforeEach(async () => {
  api = await startApiServer();
});
afterEach(() => api.stop());

/** Runs the command until the function has returned, which gets the address of the page; or to its end, if it prints none. */
async function inspect(args: readonly string[], use: (url: string) => Promise<unknown> = async () => {}) {
  const path = await new TempFolder().write('config', api.kubeconfig);
  const command = startServing('inspect', ...args, `--kubeconfig=${path}`);
  const url = await command.url.catch(() => undefined);
  if (url !== undefined) await use(url);
  return { code: await command.stop(), output: command.output(), errors: command.errors() };
}

async function ask(url: string, path: string) {
  const sent = get(new URL(path, url), { agent: false });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return JSON.parse(await text(response));
}

describe('kubeflect inspect', () => {
  it('shows the given resources until it is interrupted', async () => {
    let found: { matches: { key: string; kind: string }[] } = { matches: [] };
    const { code, errors } = await inspect(['ns,po'], async (url) => {
      while (found.matches.length === 0) found = await ask(url, 'api/search?q=kube-system+kind:namespace');
    });
    expect(found.matches).toMatchObject([{ key: 'kube-system', kind: 'Namespace' }]);
    expect([code, errors]).toEqual([0, '']);
  });

  it('shows the usual resources without arguments, as far as they may be listed', async () => {
    api.faults.inject({ verb: 'list', resource: 'nodes', respond: { status: 403 } });
    let names: string[] = [];
    const { code, errors } = await inspect([], async (url) => {
      names = (await ask(url, 'api/memory')).informers.map(({ name }: { name: string }) => name);
    });
    expect(names).toContain('pods.v1');
    expect(names).not.toContain('nodes.v1');
    expect([code, errors]).toEqual([0, 'Left out, because you may not list them: nodes\n']);
  });

  it('asks for a token on another address', async () => {
    const { output } = await inspect(['ns', '--host', '0.0.0.0']);
    expect(output).toMatch(/at http:\/\/0\.0\.0\.0:\d+\/\?token=[\w-]+\n$/);
  });

  it.each([
    [['nothings'], 2, 'nothings'],
    [['ns', '--port', 'x'], 2, '--port'],
    [['ns', '--host', 'a/b'], 2, 'host'],
    [['-n', 'A_B'], 2, '--namespace'],
  ])('%j is refused', async (args, expected, message) => {
    const { code, errors, output } = await inspect(args);
    expect([code, output]).toEqual([expected, '']);
    expect(errors).toContain(message);
  });

  it('says what to do if nothing may be listed', async () => {
    api.faults.inject({ verb: 'list', respond: { status: 403 }, times: 1000 });
    const { code, errors } = await inspect([]);
    expect(code).toBe(1);
    expect(errors).toContain('try --namespace');
  });
});
