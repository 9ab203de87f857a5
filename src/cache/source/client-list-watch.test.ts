import { describe, expect, it } from 'vitest';
import { resources } from '../../resources/resources.js';
import { ClientListWatch } from './client-list-watch.js';

describe('ClientListWatch', () => {
  it('names a missing client first, whatever the options are', () => {
    const { pods } = resources.core.v1;
    for (const options of [undefined, {}, { bogus: true }, 'default'])
      expect(() => new ClientListWatch(undefined as never, pods, options as never)).toThrow(
        'client must be a Client, got undefined',
      );
  });
});
