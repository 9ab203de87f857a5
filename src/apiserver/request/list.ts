import { StatusError } from '../../meta/errors/errors.js';
import { badRequest, expired, type Status, tooLargeResourceVersion } from '../../meta/errors/status.js';
import { isJsonObject } from '../../meta/json-values.js';
import type { Clock } from '../../time/clock.js';
import { promptlyInSlices } from '../../time/steps.js';
import type { ApiResource } from '../resources/registry.js';
import type { Collection, Revision } from '../storage/storage.js';
import type { ApiRequest, ApiResponse } from '../wire/exchange.js';
import { acceptsGzip, beginStream, isLarge, writePieces } from '../wire/response-writer.js';
import type { ListOptions } from './options/list-options.js';
import type { ListMetadata, Shape } from './shape/shape.js';

/** How long a request waits for a resourceVersion that is newer than the collection, as on kube-apiserver. */
const FRESHNESS_WAIT_MS = 3000;

const TOO_OLD = 'The resourceVersion for the provided list is too old.';
const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** 410 Expired for a continue token, with a new token for an inconsistent continuation from the latest state. */
export function expiredContinue(token: string): Status {
  const status = expired(CONTINUE_EXPIRED);
  status.metadata.continue = encodeContinue(decodeContinue(token).start, LATEST);
  return status;
}

/** The version in a continue token that means the latest one. */
const LATEST = -1;

/** A page of a collection, as of one version. */
export interface Page {
  readonly version: number;
  readonly revisions: readonly Revision[];
  /** Empty on the last page. */
  readonly continueToken: string;
  readonly remaining: number | undefined;
  /** In its normal form. */
  readonly shardSelector?: string | undefined;
}

/** Parses a resourceVersion; undefined if it is empty. */
export function parseVersion(text: string): number | undefined {
  if (text === '') return undefined;
  const isNumber = /^\d+$/.test(text);
  if (!isNumber || BigInt(text) >= 1n << 64n) {
    const problem = `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`;
    throw new Error(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`);
  }
  return Number(text);
}

/** Waits until a collection has reached a version; throws 504 "Too large resource version" after 3 s. */
export async function waitForVersion(
  collection: Collection,
  clock: Clock,
  version: number,
  signal: AbortSignal,
): Promise<void> {
  if (collection.version >= version) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      timer.cancel();
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimer(FRESHNESS_WAIT_MS, done);
    const stop = collection.onVersion(() => {
      if (collection.version >= version) done();
    });
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
  if (collection.version < version) {
    throw new StatusError(tooLargeResourceVersion(String(version), String(collection.version)));
  }
}

/** Reads the page that a list asks for; waits for its resourceVersion if it is newer than the collection. */
export async function readPage(
  clock: Clock,
  resource: ApiResource,
  options: ListOptions,
  signal: AbortSignal,
): Promise<Page> {
  const { collection } = resource;
  const { selection } = options;
  let asked: number | undefined;
  try {
    asked = parseVersion(options.resourceVersion);
  } catch (error) {
    throw new StatusError(badRequest(`invalid resource version: ${(error as Error).message}`));
  }
  let from = '';
  let isPinned = false;
  let version = collection.version;
  let limit = options.limit;
  if (options.continueToken !== '') {
    const token = decodeContinue(options.continueToken);
    if (asked !== undefined && asked !== 0) {
      throw new StatusError(badRequest('specifying resource version is not allowed when using continue'));
    }
    from = selection.prefix + token.start;
    isPinned = token.version !== LATEST;
    if (isPinned) version = token.version;
    if (version < collection.oldestVersion) {
      throw new StatusError(expiredContinue(options.continueToken));
    }
    checkNotTooLarge(version, collection.version);
  } else if (asked !== undefined && asked !== 0) {
    const isExact = options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && limit > 0);
    if (isExact) {
      checkNotTooLarge(asked, collection.version);
      if (asked < collection.oldestVersion) throw new StatusError(expired(TOO_OLD));
      version = asked;
      isPinned = true;
    } else {
      await waitForVersion(collection, clock, asked, signal);
      version = collection.version;
    }
  } else if (asked === 0) {
    // kube-apiserver ignores `limit` with resourceVersion 0 too: it answers from its watch cache.
    limit = 0;
  }

  const { hasNoSelectors, isCountable } = selection;
  let revisions: Revision[];
  let remaining: number;
  for (;;) {
    revisions = [];
    remaining = 0;
    const visit = (revision: Revision): boolean => {
      const isFull = limit > 0 && revisions.length === limit;
      if (!hasNoSelectors && !(isFull && isCountable) && !selection.selects(revision)) return true;
      if (isFull) {
        remaining++;
        // With selectors there is no remainingItemCount: it would need a look at every object.
        return isCountable;
      }
      revisions.push(revision);
      return true;
    };
    if (await promptlyInSlices(clock, 'list', collection.scanInSteps(version, selection.prefix, from, visit))) break;
    // The version was compacted meanwhile. A requested version is gone; the latest is read again.
    if (isPinned)
      throw new StatusError(options.continueToken === '' ? expired(TOO_OLD) : expiredContinue(options.continueToken));
    version = collection.version;
  }
  const last = revisions.at(-1);
  const isPartial = remaining > 0 && last !== undefined;
  return {
    version,
    revisions,
    continueToken: isPartial ? encodeContinue(`${last.key.slice(selection.prefix.length)}\0`, version) : '',
    remaining: isPartial && isCountable ? remaining : undefined,
    shardSelector: selection.shard?.text,
  };
}

function checkNotTooLarge(asked: number, current: number): void {
  if (asked <= current) return;
  const status = tooLargeResourceVersion(String(asked), String(current));
  // Without a wait kube-apiserver sends no retryAfterSeconds.
  delete status.details?.retryAfterSeconds;
  throw new StatusError(status);
}

function sizeOf(page: Page): number {
  let size = 0;
  for (const revision of page.revisions) size += revision.line.length;
  return size;
}

/** Sends a page as a list, in slices. */
export async function sendPage(
  response: ApiResponse,
  clock: Clock,
  shape: Shape,
  page: Page,
  request: ApiRequest,
): Promise<void> {
  if (shape.prepare !== undefined) await promptlyInSlices(clock, 'list', shape.prepare(page.revisions));
  const gzip = acceptsGzip(request) && isLarge(sizeOf(page));
  beginStream(response, shape.contentType, gzip);
  if (await writePieces(response, clock, request.signal, shape.list(metadataOf(page), page.revisions), gzip))
    response.end();
}

function metadataOf(page: Page): ListMetadata {
  return {
    resourceVersion: String(page.version),
    ...(page.continueToken === '' ? {} : { continue: page.continueToken }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
    ...(page.shardSelector === undefined ? {} : { shardInfo: { selector: page.shardSelector } }),
  };
}

function encodeContinue(start: string, version: number): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: version, start })).toString('base64url');
}

function decodeContinue(token: string): { start: string; version: number } {
  const fail = (detail: string): never => {
    throw new StatusError(badRequest(`invalid continue token: continue key is not valid${detail}`));
  };
  const wrong = /[^A-Za-z0-9_-]/.exec(token);
  if (wrong !== null || token.length % 4 === 1) {
    return fail(`: illegal base64 data at input byte ${wrong?.index ?? token.length - 1}`);
  }
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch (error) {
    return fail(`: ${(error as Error).message}`);
  }
  if (!isJsonObject(decoded)) return fail(': it is no object');
  const { v, rv, start } = decoded;
  if (v !== 'meta.k8s.io/v1') return fail(`: server does not recognize this encoded version ${v ?? ''}`);
  if (!Number.isSafeInteger(rv) || rv === 0 || (rv as number) < LATEST) {
    return fail(': incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  }
  if (typeof start !== 'string' || start === '') {
    return fail(': encoded start key empty (version meta.k8s.io/v1)');
  }
  if (start.split('/').some((part) => part === '..' || part === '.')) return fail(`: ${start}`);
  return { start, version: rv as number };
}
