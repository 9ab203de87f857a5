import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./server.mjs', import.meta.url));

/**
 * Starts a load server in another process.
 *
 * @param {{ pods: number, events?: number, rate?: number }} options
 * @returns {Promise<{ url: string, stop(): Promise<void> }>}
 */
export async function startLoadServer({ pods, events = 0, rate = 0 }) {
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=64', script, '--pods', `${pods}`, '--events', `${events}`, '--rate', `${rate}`],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const [url] = await once(createInterface(child.stdout), 'line');
  return {
    url,
    async stop() {
      const exit = once(child, 'exit');
      child.stdin.end();
      await exit;
    },
  };
}
