import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { expectStatus } from '../status.js';

export const area: Area = defineArea('version and health', (rule) => {
  rule('the version names major, minor and git version', async (api) => {
    const version = await api.get('/version');
    expect(version).toMatchObject({
      major: expect.stringMatching(/^\d+$/),
      minor: expect.stringMatching(/^\d+\+?$/),
      gitVersion: expect.stringMatching(/^v\d+\.\d+\.\d+/),
      platform: expect.stringMatching(/^\w+\/\w+$/),
    });
  });

  rule('the version is JSON', async (api) => {
    expect((await api.request('GET', '/version')).headers['content-type']).toBe('application/json');
  });

  rule('the version needs no credentials', async (api) => {
    expect((await api.request('GET', '/version', { token: null })).status).toBe(200);
  });

  rule('the version takes no other method', async (api) => {
    expectStatus(await api.request('POST', '/version', { body: {} }), {
      code: 405,
      reason: 'MethodNotAllowed',
      message: 'the server does not allow this method on the requested resource',
    });
  });

  for (const path of ['/healthz', '/livez', '/readyz']) {
    rule(`${path} answers ok as plain text`, async (api) => {
      const answer = await api.request('GET', path);
      expect(answer.status).toBe(200);
      expect(answer.text).toBe('ok');
      expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    });

    rule(`${path} needs no credentials`, async (api) => {
      expect((await api.request('GET', path, { token: null })).status).toBe(200);
    });
  }

  rule('/readyz?verbose names each check and its outcome', async (api) => {
    const answer = await api.request('GET', '/readyz', { query: { verbose: true } });
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/^\[\+\]ping ok$/m);
    expect(answer.text).toMatch(/readyz check passed\n$/);
  });

  rule('a single check can be asked for', async (api) => {
    const answer = await api.request('GET', '/readyz/ping');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('ok');
  });

  rule('a check that does not exist is not found', async (api) => {
    expect((await api.request('GET', '/readyz/no-such-check')).status).toBe(404);
  });
});
