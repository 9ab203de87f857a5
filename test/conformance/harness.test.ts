import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Api } from './api.js';
import { defineArea } from './area.js';
import { areas } from './areas/index.js';
import { Wire } from './http.js';
import { expectStatus } from './status.js';

const running: { server: Server; wire: Wire }[] = [];

/** The `Api` of the suite on a server that answers as the test wants. */
async function apiOn(listener: RequestListener): Promise<Api> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const target = {
    name: 'scripted',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'secret',
  };
  const wire = new Wire(target);
  running.push({ server, wire });
  return new Api(target, wire);
}

afterEach(() => {
  for (const { server, wire } of running.splice(0)) {
    wire.close();
    server.closeAllConnections();
    server.close();
  }
});

function failure(status: object): RequestListener {
  return (_request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 404, ...status }),
    );
  };
}

describe('the areas', () => {
  it('have unique names', () => {
    const names = areas.map((area) => area.name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('are listed in the documentation with the number of their cases', () => {
    const page = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| (.+?) +\| (\d+) +\|$/gm)].map(([, name, count]) => `${name}: ${count}`);
    expect(rows).toEqual(areas.map((area) => `${area.name}: ${area.cases.length}`));
  });

  it('refuse two cases of the same title', () => {
    const declare = () =>
      defineArea('twice', (rule) => {
        rule('same', async () => {});
        rule('same', async () => {});
      });
    expect(declare).toThrow(new TypeError('area twice has two cases called "same"'));
  });
});

describe('expectStatus', () => {
  const status = {
    reason: 'NotFound',
    message: 'configmaps "a" not found',
    details: { name: 'a', kind: 'configmaps', causes: [{ reason: 'Why', message: 'so', field: 'f' }] },
  };

  it('accepts a Status that matches', async () => {
    const api = await apiOn(failure(status));
    expectStatus(await api.request('GET', '/'), {
      code: 404,
      reason: 'NotFound',
      message: /not found$/,
      details: { name: 'a' },
      causes: [{ message: /^s/, field: 'f' }],
    });
  });

  it.each([
    ['code', { code: 409, reason: 'NotFound' }],
    ['reason', { code: 404, reason: 'Conflict' }],
    ['a reason where none is expected', { code: 404, reason: undefined }],
    ['message', { code: 404, reason: 'NotFound', message: 'configmaps "b" not found' }],
    ['details', { code: 404, reason: 'NotFound', details: { name: 'b' } }],
    ['causes', { code: 404, reason: 'NotFound', causes: [{ field: 'g' }] }],
  ])('accuses a wrong %s', async (_what, expected) => {
    const api = await apiOn(failure(status));
    const answer = await api.request('GET', '/');
    expect(() => expectStatus(answer, expected)).toThrow('GET / → 404');
  });
});

describe('requests', () => {
  it('send the token by default', async () => {
    const api = await apiOn((request, response) => response.end(String(request.headers.authorization)));
    expect((await api.request('GET', '/')).text).toBe('Bearer secret');
    expect((await api.request('GET', '/', { token: 'other' })).text).toBe('Bearer other');
    expect((await api.request('GET', '/', { token: null })).text).toBe('undefined');
  });

  it('show the answer if it is no success', async () => {
    const api = await apiOn(failure({ reason: 'NotFound' }));
    await expect(api.create('/api/v1/namespaces', {})).rejects.toThrow('POST /api/v1/namespaces answered 404, not 201');
  });
});

describe('watches', () => {
  it('are cut into lines wherever chunks end, also within a character', async () => {
    const lines = Buffer.from(
      '{"type":"ADDED","object":{"kind":"ä€😀"}}\n{"type":"DELETED","object":{"kind":"b"}}\n{"type"',
    );
    const api = await apiOn(async (_request, response) => {
      for (const byte of lines) await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
      response.end();
    });
    const stream = await api.watch('/things');
    expect(await stream.expectNext()).toEqual({ type: 'ADDED', object: { kind: 'ä€😀' } });
    expect(await stream.rest()).toEqual([{ type: 'DELETED', object: { kind: 'b' } }]);
    expect(stream.unfinishedLine).toBe('{"type"');
  });

  it('fail when the stream ends before an expected event', async () => {
    const api = await apiOn((_request, response) => response.end('{"type":"ADDED","object":{}}\n'));
    const stream = await api.watch('/things');
    await expect(stream.until(({ type }) => type === 'DELETED')).rejects.toThrow(
      'the stream ended after 1 events without the expected one',
    );
  });

  it('fail when they are refused', async () => {
    const api = await apiOn(failure({ reason: 'NotFound' }));
    await expect(api.watch('/things')).rejects.toThrow('watch of /things answered 404');
  });
});
