/** What the process answers when a view asks, as signals. */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ErrorAnswer } from '../protocol.js';
import { tick } from './feed.js';

/** The newest answer, kept until the next one; and what went wrong with the last request. */
export interface Answer<T> {
  readonly value: ReadonlySignal<T | null>;
  readonly error: ReadonlySignal<string | null>;
  /** Asks again now. */
  readonly ask: () => void;
}

/**
 * Asks for `path` when the view is drawn or the path changes, and again after each `every` snapshots. One request is in progress at
 * a time: an answer that comes after the path has changed is not used, and then the new path is asked for.
 *
 * @param path relative to the page; `null` asks for nothing
 * @param every 0 asks once
 */
export function useAnswer<T>(path: string | null, every: number): Answer<T> {
  const question = useMemo(() => new Question<T>(), []);
  useEffect(() => question.ask(path), [path]);
  useEffect(() => {
    if (every === 0) return undefined;
    const begun = tick.peek();
    return tick.subscribe((now) => {
      if (now !== begun && (now - begun) % every === 0) question.again();
    });
  }, [every]);
  useEffect(() => () => question.ask(null), []);
  return question;
}

class Question<T> implements Answer<T> {
  readonly value: Signal<T | null> = signal(null);
  readonly error: Signal<string | null> = signal(null);
  #path: string | null = null;
  #asking = false;

  ask = (path: string | null = this.#path): void => {
    if (path !== this.#path) {
      this.#path = path;
      this.error.value = null;
      if (path === null) this.value.value = null;
    }
    this.again();
  };

  again(): void {
    if (this.#asking || this.#path === null) return;
    this.#asking = true;
    void this.#request(this.#path);
  }

  async #request(path: string): Promise<void> {
    const outcome = await get<T>(path);
    this.#asking = false;
    if (this.#path !== path) return this.again();
    if ('error' in outcome) this.error.value = outcome.error;
    else {
      this.value.value = outcome.value;
      this.error.value = null;
    }
  }
}

async function get<T>(path: string): Promise<{ readonly value: T } | { readonly error: string }> {
  try {
    const response = await fetch(path);
    if (response.ok) return { value: (await response.json()) as T };
    const { error } = (await response.json()) as ErrorAnswer;
    return { error };
  } catch (error) {
    return { error: `The process did not answer: ${error instanceof Error ? error.message : String(error)}` };
  }
}
