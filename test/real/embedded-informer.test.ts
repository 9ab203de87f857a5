import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.js';
import { TempFolder } from '../support/temp-folder.js';
import { GoInformerProgram } from './go-informer.js';

let program: GoInformerProgram;
beforeAll(async () => {
  program = await GoInformerProgram.build();
});
afterAll(() => program[Symbol.asyncDispose]());

describe('a client-go informer on the embedded server', () => {
  it('follows it through 410 Gone, broken connections and restarts', async () => {
    const api = await startApiServer({ tls: true });
    const config = await new TempFolder().write('kubeconfig', api.kubeconfig);
    const lines: string[] = [];
    let wake = (): void => {};
    const until = async (line: string): Promise<void> => {
      while (!lines.includes(line)) await new Promise<void>((resolve) => (wake = resolve));
    };
    const put = async (value: string): Promise<void> => {
      const collection = '/api/v1/namespaces/default/configmaps';
      const body = Buffer.from(JSON.stringify({ metadata: { name: 'a' }, data: { value } }));
      const headers = { 'content-type': 'application/json' };
      const status = await new Promise<number>((resolve, reject) => {
        const isNew = value === '1';
        const request = {
          method: isNew ? 'POST' : 'PUT',
          target: isNew ? collection : `${collection}/a`,
          headers,
          body,
        };
        api.connection.send(request, { head: resolve, chunk: () => {}, end: () => {}, error: reject });
      });
      expect(status).toBeLessThan(300);
    };

    await put('1');
    const informer = program.run([config], (line) => {
      lines.push(line);
      wake();
    });
    try {
      await until('synced');
      expect(lines[0]).toBe('add a 1');
      await put('2');
      await until('update a 2');

      api.compact();
      api.faults.dropConnections();
      await put('3');
      await until('update a 3');

      api.faults.inject({ verb: 'watch', resource: 'configmaps', errorEvent: { status: 410 } });
      await put('4');
      await put('5');
      await until('update a 5');

      await api.restart();
      await put('6');
      await until('update a 6');
      api.connection.send(
        { method: 'DELETE', target: '/api/v1/namespaces/default/configmaps/a' },
        { head: () => {}, chunk: () => {}, end: () => {}, error: () => {} },
      );
      await until('delete a 6');
    } finally {
      informer.kill();
      await api.stop();
    }
  });
});
