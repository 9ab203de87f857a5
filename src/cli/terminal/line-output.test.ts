import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { FakeClock } from '../../time/fake-clock.js';
import { LineOutput } from './line-output.js';

class Pipe extends EventEmitter {
  readonly written: string[] = [];
  isFull = false;

  write(text: string): boolean {
    this.written.push(text);
    return !this.isFull;
  }
}

it('writes the lines of a turn together, and long text at once', async () => {
  const clock = new FakeClock();
  const pipe = new Pipe();
  const output = new LineOutput(pipe, clock);
  expect(output.write('a')).toBeUndefined();
  void output.write('b');
  expect(pipe.written).toEqual([]);
  await clock.advance(0);
  expect(pipe.written).toEqual(['a\nb\n']);
  void output.write('c'.repeat(70_000));
  expect(pipe.written).toHaveLength(2);
  output.flush();
  expect(pipe.written).toHaveLength(2);
});

it.each(['drain', 'error', 'close'])(
  'returns a promise while the buffer of the stream is full, until %s',
  async (event) => {
    const pipe = new Pipe();
    const output = new LineOutput(pipe, new FakeClock());
    pipe.isFull = true;
    void output.write('a');
    output.flush();
    const behind = output.write('b');
    expect(behind).toBeInstanceOf(Promise);
    pipe.isFull = false;
    pipe.once('error', () => {});
    pipe.emit(event);
    await behind;
    expect(output.write('c')).toBeUndefined();
    output.flush();
    expect(pipe.eventNames()).toEqual(event === 'error' ? [] : ['error']);
  },
);
