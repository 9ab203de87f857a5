import { expect } from 'vitest';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../src/apiserver/index.js';
import { FakeClock } from '../../src/time/fake-clock.js';
import { type Doc, MemoryClient } from './memory-client.js';

/** An embedded server with simulated workloads on a fake clock. */
export interface TestWorld {
  readonly clock: FakeClock;
  readonly api: ApiServer;
  readonly client: MemoryClient;
  create(path: string, object: object): Promise<Doc>;
  get(path: string): Promise<Doc>;
  list(path: string): Promise<Doc[]>;
  patch(path: string, patch: object): Promise<Doc>;
  delete(path: string, options?: object): Promise<void>;
  /** Lets virtual time pass, and everything finish that it causes. */
  settle(ms?: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startWorld(
  workloads: ApiServerOptions['workloads'] = true,
  options: Partial<ApiServerOptions> = {},
): Promise<TestWorld> {
  const clock = new FakeClock();
  const onError = (error: unknown): never => expect.fail(String((error as Error).stack ?? error));
  const api = await startApiServer({ clock, listen: false, seed: 7, onError, workloads, ...options });
  const client = new MemoryClient(api);
  await clock.runUntilIdle();
  const settle = async (ms = 0): Promise<void> => {
    await clock.advance(ms);
    await clock.runUntilIdle();
  };
  return {
    clock,
    api,
    client,
    settle,
    async create(path, object) {
      const { status, json } = await client.post(path, object);
      expect(status, JSON.stringify(json)).toBe(201);
      await settle();
      return json;
    },
    async get(path) {
      const { status, json } = await client.get(path);
      expect(status, path).toBe(200);
      return json;
    },
    async list(path) {
      return (await client.get(path)).json.items;
    },
    async patch(path, patch) {
      const { status, json } = await client.patch(path, patch);
      expect(status, JSON.stringify(json)).toBe(200);
      await settle();
      return json;
    },
    async delete(path, body) {
      expect((await client.delete(path, body)).status).toBe(200);
      await settle();
    },
    stop: () => api.stop(),
  };
}

/** A pod template of one container. */
export function template(app: string, image = 'app:1', spec: object = {}): Doc {
  return { metadata: { labels: { app } }, spec: { containers: [{ name: 'app', image }], ...spec } };
}

export function deployment(name: string, replicas: number, spec: object = {}): Doc {
  return {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name), ...spec },
  };
}
