import { describe, expect, it } from 'vitest';
import type { ListOptions } from '../meta/options.js';
import { streamingOptions } from './streaming-options.js';

describe('streamingOptions', () => {
  const streaming = { resourceVersionMatch: 'NotOlderThan', sendInitialEvents: true, allowWatchBookmarks: true };

  it.each<[ListOptions, string]>([
    [{}, ''],
    [{ resourceVersion: '0' }, '0'],
    [{ resourceVersion: '100' }, '100'],
    [{ resourceVersion: '0', limit: 4 }, '0'],
    [{ resourceVersion: '0', resourceVersionMatch: 'NotOlderThan' }, '0'],
    [{ resourceVersion: '100', resourceVersionMatch: 'NotOlderThan' }, '100'],
  ])('[S298] %j can be streamed', (options, resourceVersion) => {
    expect(streamingOptions(options)).toEqual({ ...streaming, resourceVersion });
  });

  it.each<[ListOptions]>([
    [{ limit: 4 }],
    [{ resourceVersion: '100', limit: 4 }],
    [{ resourceVersionMatch: 'NotOlderThan' }],
    [{ resourceVersion: '0', resourceVersionMatch: 'Exact' }],
    [{ resourceVersion: '100', resourceVersionMatch: 'Exact' }],
    [{ continue: 'token' }],
  ])('[S298] %j cannot', (options) => {
    expect(streamingOptions(options)).toBeUndefined();
  });

  it('keeps what is selected', () => {
    const selection = { labelSelector: 'app=web', fieldSelector: 'metadata.name=a', timeoutSeconds: 5 };
    expect(streamingOptions(selection)).toEqual({ ...streaming, ...selection, resourceVersion: '' });
  });
});
