import type { ListOptions, WatchOptions } from '../meta/options.js';

/**
 * The watch that brings what this list would: it begins with the whole collection and says when that is complete.
 * Undefined where only a list will do: for one exact version, for pages, and for a limit that the server would heed. It
 * heeds none when any version will do (`'0'`), because it answers from memory then.
 */
export function streamingOptions(options: ListOptions): WatchOptions | undefined {
  const { resourceVersion = '', resourceVersionMatch, limit = 0, continue: token, ...selection } = options;
  if (token) return undefined;
  if (limit > 0 && resourceVersion !== '0') return undefined;
  if (resourceVersionMatch === 'Exact') return undefined;
  if (resourceVersionMatch === 'NotOlderThan' && resourceVersion === '') return undefined;
  return {
    ...selection,
    resourceVersion,
    resourceVersionMatch: 'NotOlderThan',
    sendInitialEvents: true,
    allowWatchBookmarks: true,
  };
}
