import { describe, expect, it } from 'vitest';
import { hashOf, parseRoute } from './route.js';

describe('routes', () => {
  it('begin with the picture, whatever an unknown hash says', () => {
    for (const hash of ['', '#', '#/', '#/nothing', '#/__proto__?a=b']) expect(parseRoute(hash).view).toBe('picture');
  });

  it('are the same after they were written to the address', () => {
    const parameters = { informer: 'pods', key: 'default/a b&c=d?e#f', q: '' };
    expect(parseRoute(hashOf('object', parameters))).toEqual({ view: 'object', parameters });
    expect(parseRoute(hashOf('memory'))).toEqual({ view: 'memory', parameters: {} });
  });
});
