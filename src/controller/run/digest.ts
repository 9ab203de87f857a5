import { hash } from 'node:crypto';

/** A short text that stands for a long one. */
export function digestOf(text: string): string {
  return hash('sha1', text, 'hex');
}
