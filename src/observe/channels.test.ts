import { channel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type ChannelMessage, type Channels, channels, listen } from './channels.js';

const source = { name: 'pods', host: 'kube:6443', group: '', version: 'v1', resource: 'pods' };

describe('channels', () => {
  it('are channels of node:diagnostics_channel with unique names', () => {
    const names = Object.values(channels as unknown as Record<string, { name: string }>).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^kubeflect:[a-z]+:[a-z]+$/);
    expect(channel('kubeflect:queue:depth')).toBe(channels.queueDepth);
  });

  it('have short names that follow from their names', () => {
    for (const [short, { name }] of Object.entries(channels as unknown as Record<string, { name: string }>)) {
      const [stage, what] = name.split(':').slice(1);
      expect(short).toBe(`${stage}${what?.charAt(0).toUpperCase()}${what?.slice(1)}`);
    }
  });

  it('have subscribers only between listen and its undo', () => {
    const lengths: number[] = [];
    const { queueDepth } = channels;
    expect(queueDepth.hasSubscribers).toBe(false);
    queueDepth.publish({ source, length: 1 });
    const count = ({ length }: ChannelMessage<'queueDepth'>): void => void lengths.push(length);
    const undo = listen(queueDepth, count);
    const undoSecond = listen(queueDepth, count);
    expect(queueDepth.hasSubscribers).toBe(true);
    queueDepth.publish({ source, length: 2 });
    undoSecond[Symbol.dispose]();
    queueDepth.publish({ source, length: 3 });
    undo();
    undo();
    queueDepth.publish({ source, length: 4 });
    expect(lengths).toEqual([2, 2, 3]);
    expect(queueDepth.hasSubscribers).toBe(false);
  });

  it('carry typed messages', () => {
    expectTypeOf<Parameters<Channels['workqueueGet']['publish']>[0]['waitedMs']>().toEqualTypeOf<number>();
    // @ts-expect-error a message needs a length
    const wrong: ChannelMessage<'queueDepth'> = { source };
    expect(wrong).toBeDefined();
  });

  it('are the rows of the table in docs/observe.md', () => {
    const page = readFileSync(new URL('../../docs/observe.md', import.meta.url), 'utf8');
    const documented = [...page.matchAll(/^\| `(kubeflect:[a-z:]+)`/gm)].map((match) => match[1]);
    const names = Object.values(channels as unknown as Record<string, { name: string }>).map(({ name }) => name);
    expect(documented.sort()).toEqual(names.sort());
  });
});
