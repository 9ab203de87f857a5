import { StatusError } from '../../meta/errors.js';
import { isJsonObject } from '../../meta/json-values.js';
import { badRequest, expired, type Status, tooLargeResourceVersion } from '../../meta/status.js';
import type { Clock } from '../../time/clock.js';
import { promptlyInSlices, type Steps } from '../../time/steps.js';
import type { ApiResource } from '../resources/registry.js';
import type { Collection, Revision, Storage } from '../storage/storage.js';
import type { ApiRequest, ApiResponse } from '../wire/exchange.js';
import { acceptsGzip, beginStream, isLarge, SliceWriter } from '../wire/response-writer.js';
import type { ListOptions } from './list-options.js';
import type { Shape } from './shape.js';

/** How long a request waits for a version that has not come yet, as the real server does. */
const FRESHNESS_WAIT_MS = 3000;

const TOO_OLD = 'The resourceVersion for the provided list is too old.';
const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** The 410 of a list that goes on too late: with a token for the rest as it is now, for those who want that. */
export function expiredContinue(token: string): Status {
  const status = expired(CONTINUE_EXPIRED);
  status.metadata.continue = encodeContinue(decodeContinue(token).start, LATEST);
  return status;
}

/** In a continue token: whatever version is the latest then. */
const LATEST = -1;

/** A page of a collection, as it was at one version. */
export interface Page {
  readonly version: number;
  readonly revisions: readonly Revision[];
  /** Empty on the last page. */
  readonly continueToken: string;
  readonly remaining: number | undefined;
}

/** Reads a resource version that a client sent; undefined for none. */
export function parseVersion(text: string): number | undefined {
  if (text === '') return undefined;
  if (!/^\d{1,20}$/.test(text)) {
    const problem = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
    throw new Error(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`);
  }
  return Number(text);
}

/**
 * Waits until the storage has come to a version; throws the 504 of a version that is too large if it does not in time.
 */
export async function waitForVersion(
  storage: Storage,
  clock: Clock,
  version: number,
  signal: AbortSignal,
): Promise<void> {
  if (storage.version >= version) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      timer.cancel();
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimer(FRESHNESS_WAIT_MS, done);
    const stop = storage.subscribe((revision) => {
      if (revision.version >= version) done();
    });
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
  if (storage.version < version) {
    throw new StatusError(tooLargeResourceVersion(String(version), String(storage.version)));
  }
}

/** Finds the page that a list asks for, waiting for its version if need be. */
export async function readPage(
  storage: Storage,
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
  let version = storage.version;
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
    checkNotTooLarge(version, storage.version);
  } else if (asked !== undefined && asked !== 0) {
    const isExact = options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && limit > 0);
    if (isExact) {
      checkNotTooLarge(asked, storage.version);
      if (asked < collection.oldestVersion) throw new StatusError(expired(TOO_OLD));
      version = asked;
      isPinned = true;
    } else {
      await waitForVersion(storage, clock, asked, signal);
      version = storage.version;
    }
  } else if (asked === 0) {
    // Whatever is at hand is at hand as a whole: the real server does not page it either.
    limit = 0;
  }

  const hasNoSelectors = selection.hasNoSelectors;
  let revisions: Revision[];
  let remaining: number;
  for (;;) {
    revisions = [];
    remaining = 0;
    const visit = (revision: Revision): boolean => {
      if (!hasNoSelectors && !selection.selects(revision)) return true;
      if (limit > 0 && revisions.length === limit) {
        remaining++;
        // Nobody can tell how many of the rest are selected without looking at each, so nobody is told.
        return hasNoSelectors;
      }
      revisions.push(revision);
      return true;
    };
    if (await promptlyInSlices(clock, 'a list', scanInSteps(collection, version, selection.prefix, from, visit))) break;
    // The version was forgotten meanwhile. One that was asked for is gone; the latest has become another.
    if (isPinned)
      throw new StatusError(options.continueToken === '' ? expired(TOO_OLD) : expiredContinue(options.continueToken));
    version = storage.version;
  }
  const last = revisions.at(-1);
  const isPartial = remaining > 0 && last !== undefined;
  return {
    version,
    revisions,
    continueToken: isPartial ? encodeContinue(`${last.key.slice(selection.prefix.length)}\0`, version) : '',
    remaining: isPartial && hasNoSelectors ? remaining : undefined,
  };
}

/** How many objects are looked at before others have their turn: selectors may have hundreds of requirements. */
const SCAN_BATCH = 64;

/** Scans a collection in steps; false says that its version was forgotten before the end. */
export function* scanInSteps(
  collection: Collection,
  version: number,
  prefix: string,
  from: string,
  visit: (revision: Revision) => boolean,
): Steps<boolean> {
  for (let next: string | undefined = from; next !== undefined; yield) {
    if (version < collection.oldestVersion) return false;
    let seen = 0;
    const start: string = next;
    next = undefined;
    collection.scan(version, prefix, start, (revision) => {
      if (seen++ < SCAN_BATCH) return visit(revision);
      next = revision.key;
      return false;
    });
  }
  return true;
}

function checkNotTooLarge(asked: number, current: number): void {
  if (asked <= current) return;
  const status = tooLargeResourceVersion(String(asked), String(current));
  // Nobody waited, so nobody says when to come back.
  delete status.details?.retryAfterSeconds;
  throw new StatusError(status);
}

/** A page of more than this is no quick affair. */
const LONG_PAGE = 5000;

function sizeOf(page: Page): number {
  let size = 0;
  for (const revision of page.revisions) size += revision.line.length;
  return size;
}

const OPEN = Buffer.from('{');
const NEXT = Buffer.from(',{');

/** Sends a page as a list, in slices. */
export async function sendPage(
  response: ApiResponse,
  clock: Clock,
  shape: Shape,
  page: Page,
  request: ApiRequest,
): Promise<void> {
  const metadata = {
    resourceVersion: String(page.version),
    ...(page.continueToken === '' ? {} : { continue: page.continueToken }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
  // Finding so many took a while; others go first.
  if (page.revisions.length > LONG_PAGE) await clock.yield();
  const gzip = acceptsGzip(request) && isLarge(sizeOf(page));
  beginStream(response, shape.contentType, gzip);
  const writer = new SliceWriter(response, clock, request.signal, gzip);
  writer.push(Buffer.from(shape.listHead(metadata)));
  for (let i = 0; i < page.revisions.length; i++) {
    writer.push(i === 0 ? OPEN : NEXT);
    writer.push(shape.itemTail(page.revisions[i]!));
    if (writer.pause && !(await writer.resume())) return;
  }
  writer.push(Buffer.from(']}\n'));
  writer.flush();
  response.end();
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
