import { describe, expect, it } from 'vitest';
import { type CommandRig, commandRig } from '../../../test/support/command-rig.js';
import { podOf } from '../../../test/support/pod-rig.js';
import type { LogCall } from '../../apiserver/index.js';
import { StatusError } from '../../meta/errors/errors.js';
import { badRequest } from '../../meta/errors/status.js';
import { terminalText } from './log-text.js';

const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;
const labels = { app: 'web' };

/** A pod whose containers run. */
const running = (name: string, containers = ['app']) => ({
  ...podOf(name, containers, labels),
  status: {
    phase: 'Running',
    containerStatuses: containers.map((container) => ({
      name: container,
      ready: true,
      restartCount: 0,
      image: 'app:1',
      imageID: '',
      state: { running: {} },
    })),
  },
});

const texts: Readonly<Record<string, string>> = {
  'one/app': `${at(1)} first\n${at(4)} last\n`,
  'two/app': `${at(2)} second\n`,
  'two/side': `${at(3)} third\n`,
};

async function start(
  asked: LogCall[] = [],
  log: (call: LogCall) => string | AsyncIterable<string> = ({ pod, container }) =>
    texts[`${pod.metadata.name}/${container}`] ?? '',
): Promise<CommandRig> {
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
    },
  };
  return commandRig({
    objects: [running('one'), running('two', ['app', 'side']), deployment],
    kubelet: {
      log(call) {
        asked.push(call);
        return log(call);
      },
    },
  });
}

describe('kubeflect logs', () => {
  it('shows the log of a pod, and tells which of several containers it is', async () => {
    const rig = await start();
    expect(await rig.run('logs', 'one')).toEqual({ code: 0, output: 'first\nlast\n', errors: '' });
    expect(await rig.run('logs', 'pods/one', '--timestamps')).toMatchObject({
      output: `${at(1)} first\n${at(4)} last\n`,
    });
    expect(await rig.run('logs', 'two')).toEqual({
      code: 0,
      output: 'second\n',
      errors: 'container app of two; it also has side, see -c\n',
    });
    expect(await rig.run('logs', 'po', 'two', '-c', 'side')).toEqual({ code: 0, output: 'third\n', errors: '' });
    expect(await rig.run('logs', 'two', '-c', 'none')).toMatchObject({
      code: 1,
      errors: "kubeflect logs: pod two has no container 'none'; it has app, side\n",
    });
  });

  it('merges the logs of several containers and pods', async () => {
    const rig = await start();
    const merged = '[pod/one/app] first\n[pod/two/app] second\n[pod/one/app] last\n';
    expect(await rig.run('logs', '-l', 'app=web')).toEqual({ code: 0, output: merged, errors: '' });
    expect(await rig.run('logs', 'deploy/web')).toEqual({ code: 0, output: merged, errors: '' });
    expect((await rig.run('logs', '-l', 'app=web', '--all-containers', '--no-prefix')).output).toBe(
      'first\nsecond\nthird\nlast\n',
    );
    expect((await rig.run('logs', 'two', '--all-containers')).output).toBe(
      '[pod/two/app] second\n[pod/two/side] third\n',
    );
    expect((await rig.run('logs', '-l', 'app=web', '-c', 'side')).output).toBe('[pod/two/side] third\n');
  });

  it('asks for a part of the log', async () => {
    const asked: LogCall[] = [];
    const rig = await start(asked);
    await rig.run('logs', 'one', '--since', '1m30s', '--tail', '5', '-p');
    await rig.run('logs', 'one', '--since-time', at(3), '--tail', '-1');
    await rig.run('logs', 'deploy/web');
    expect(asked).toMatchObject([
      { sinceSeconds: 90, tailLines: 5, previous: true, follow: false },
      { sinceTime: at(3), tailLines: undefined, previous: false },
      { tailLines: 10 },
      { tailLines: 10 },
    ]);
  });

  it('-f adds the pods that come later, when their containers have started', async () => {
    const rig = await start([], async function* ({ pod, signal }) {
      yield `${new Date(rig.clock.now()).toISOString()} hello from ${pod.metadata.name}\n`;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    });
    const following = rig.start(['logs', 'deploy/web', '-f']);
    await following.seen(/two\/app\] hello/);
    const pods = rig.client.core.v1.pods('default');
    const { status, ...pod } = running('three');
    await pods.create(pod);
    await rig.clock.advance(60_000);
    expect(following.output).not.toContain('three');
    await pods.patchStatus('three', status as object);
    await following.seen(/^\[pod\/three\/app\] hello from three$/m);
    await pods.delete('one', { gracePeriodSeconds: 0 });
    const { code, output, errors } = await following.interrupt();
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output.match(/hello/g)).toHaveLength(3);
  });

  it('reads the other logs if one cannot be read, and fails in the end', async () => {
    const rig = await start([], ({ pod, container }) => {
      if (pod.metadata.name === 'two') throw new StatusError(badRequest('the container waits to start'));
      return texts[`${pod.metadata.name}/${container}`] ?? '';
    });
    const { code, output, errors } = await rig.run('logs', '-l', 'app=web');
    expect([code, output]).toEqual([1, '[pod/one/app] first\n[pod/one/app] last\n']);
    expect(errors).toMatch(/^kubeflect logs: two\/app: .*the container waits to start/);
    const few = await rig.run('logs', '-l', 'app=web', '--max-log-requests', '1');
    expect(few).toMatchObject({ code: 1, errors: expect.stringContaining('1 logs are open, see --max-log-requests') });
  });

  it.each([
    [[], 2, 'which pod?'],
    [['one', '-l', 'app'], 2, 'leave it out, or the name'],
    [['one', '--tail', 'x'], 2, '--tail must be a whole number'],
    [['one', '--since', 'x'], 2, '--since must be a time'],
    [['one', '--since-time', 'x'], 2, '--since-time must be a time'],
    [['one', '--since', '1s', '--since-time', at(1)], 2, 'contradict each other'],
    [['one', '-c', 'a', '--all-containers'], 2, 'contradict each other'],
    [['one', '-f', '-p'], 2, '--follow goes with logs that grow'],
    [['none'], 1, 'pods "none" not found'],
    [['cm/kube-root-ca.crt', '-n', 'default'], 1, 'not found'],
    [['-l', 'app=none'], 1, 'there are no pods with the labels app=none in namespace default'],
    [['-l', 'app=web', '-c', 'none'], 1, "none of the 2 pods has a container 'none'"],
    [['ns/default'], 1, 'namespaces/default has no selector of pods'],
  ])('refuses %j', async (args, expected, message) => {
    const rig = await start();
    const { code, output, errors } = await rig.run('logs', ...args);
    expect([code, output, errors]).toEqual([expected, '', expect.stringContaining(message)]);
  });

  it('escapes what a terminal would obey, except colours, and only on a terminal', async () => {
    const rig = await start([], () => `${at(1)} \u001b[31mred\u001b]0;title\u0007\u001b[2J\n`);
    expect((await rig.run('logs', 'one')).output).toBe('\u001b[31mred\u001b]0;title\u0007\u001b[2J\n');
    const shown = await rig.start(['logs', 'one'], { isTTY: true }).ended();
    expect(shown.output).toBe('\u001b[31mred\\u001b]0;title\\u0007\\u001b[2J\u001b[0m\n');
    expect(terminalText('plain\ttext')).toBe('plain\ttext');
  });
});
