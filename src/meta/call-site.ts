/**
 * The place in the user's code that called into this package, as `file.ts:12`: the default name of a part that was given
 * none.
 */
export function callSite(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 30;
  const stack = new Error().stack ?? '';
  Error.stackTraceLimit = limit;
  const own = folderAbove(import.meta.url)?.href.replace(/^file:\/\//, '');
  for (const line of stack.split('\n').slice(1)) {
    const place = /\(?(?:file:\/\/)?([^\s()]+):(\d+):\d+\)?$/.exec(line);
    if (place === null || (own !== undefined && isOurs(place[1] as string, own)) || place[1]?.startsWith('node:'))
      continue;
    return `${place[1]?.slice(place[1].lastIndexOf('/') + 1)}:${place[2]}`;
  }
  return 'reflector';
}

function isOurs(file: string, own: string): boolean {
  return file.startsWith(own) && !file.includes('.test.');
}

/** The folder above that of a module; undefined in a program that was bundled as CommonJS, where modules have no URL. */
export function folderAbove(module: string | undefined): URL | undefined {
  return module === undefined ? undefined : new URL('../', module);
}
