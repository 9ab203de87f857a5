import { asError } from '../../meta/errors/errors.js';
import { printGroupResource } from '../../meta/resource.js';
import { type ParsedLabelSelector, toLabelSelector } from '../../meta/selectors/label-selector.js';
import type { Clock } from '../../time/clock.js';
import { inSlices, type Steps } from '../../time/steps.js';
import type { InformerSubject, Inventory } from '../inventory.js';
import type { SearchAnswer, SearchMatch } from '../protocol.js';
import type { Recording } from '../recording/recording.js';

const mostMatches = 100;
/** The matches that are collected before the best of them are chosen. */
const mostCandidates = 2000;

/** A query, understood. */
interface Query {
  /** Parts of keys, in lower case. */
  readonly texts: readonly string[];
  /** Beginnings of kinds or resources, or ids or names of informers, in lower case. */
  readonly kinds: readonly string[];
  readonly labels: ParsedLabelSelector | undefined;
  readonly indexes: readonly { readonly name: string; readonly value: string }[];
}

/** What a search goes through. */
export interface SearchSource {
  readonly inventory: Inventory;
  readonly recording: Recording;
  readonly clock: Clock;
}

/** The objects that match a query, in slices of the scheduler. A query that cannot be understood matches nothing. */
export async function search({ inventory, recording, clock }: SearchSource, text: string): Promise<SearchAnswer> {
  const started = clock.monotonicNow();
  const subjects = inventory.informers;
  const indexes = subjects.flatMap(({ id, informer }) =>
    informer.internals.indexer.indexSizes.map(({ name }) => ({ informer: id, name })),
  );
  const found: SearchMatch[] = [];
  const counted = { scanned: 0 };
  let understood: string;
  try {
    const query = parseQuery(text);
    understood = printQuery(query);
    for (const subject of subjects) {
      if (found.length >= mostCandidates || !isOfKind(subject, query)) continue;
      await inSlices(clock, 'search of the inspector', collect(subject, query, recording, found, counted));
    }
  } catch (error) {
    understood = asError(error).message;
  }
  const { scanned } = counted;
  const best = found.sort(byRank(text)).slice(0, mostMatches);
  const more = found.length > best.length;
  return { query: text, understood, matches: best, more, scanned, durationMs: clock.monotonicNow() - started, indexes };
}

/**
 * What the text of a search asks for.
 *
 * @throws Error that says what is wrong with the query
 * @internal
 */
export function parseQuery(text: string): Query {
  const texts: string[] = [];
  const kinds: string[] = [];
  const labels: string[] = [];
  const indexes: { name: string; value: string }[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const prefixed = /^(kind|label|index):(.+)$/.exec(word);
    const [, prefix, rest = ''] = prefixed ?? [];
    if (prefix === 'kind') kinds.push(rest.toLowerCase());
    else if (prefix === 'label') labels.push(rest);
    else if (prefix === 'index') {
      const equals = rest.indexOf('=');
      if (equals < 1) throw new Error(`${word}: an index is searched with index:NAME=VALUE`);
      indexes.push({ name: rest.slice(0, equals), value: rest.slice(equals + 1) });
    } else if (word.includes('=')) labels.push(word);
    else texts.push(word.toLowerCase());
  }
  return { texts, kinds, labels: labels.length === 0 ? undefined : toLabelSelector(labels.join(',')), indexes };
}

function printQuery({ texts, kinds, labels, indexes }: Query): string {
  const parts = [
    ...kinds.map((kind) => `kind ${kind}`),
    ...texts.map((text) => `key with ${text}`),
    ...(labels === undefined ? [] : [`labels ${labels.toString()}`]),
    ...indexes.map(({ name, value }) => `index ${name} is ${value}`),
  ];
  return parts.length === 0 ? 'all objects' : parts.join(', ');
}

function isOfKind({ id, informer }: InformerSubject, { kinds }: Query): boolean {
  const { resource, name } = informer;
  const types = [resource.kind ?? '', printGroupResource(resource)].map((one) => one.toLowerCase());
  return kinds.every((kind) => kind === id || kind === name.toLowerCase() || types.some((one) => one.startsWith(kind)));
}

function* collect(
  { id, informer }: InformerSubject,
  { texts, labels, indexes }: Query,
  recording: Recording,
  found: SearchMatch[],
  counted: { scanned: number },
): Steps<void> {
  const { resource } = informer;
  const { indexer, view, source } = informer.internals;
  const kind = resource.kind ?? resource.resource;
  const changedAt = new Map<string, number>();
  const deleted = new Map<string, number>();
  for (const { key, type, at } of recording.changes.all(source)) {
    yield;
    changedAt.set(key, at);
    if (type === 'delete') deleted.set(key, at);
    else deleted.delete(key);
  }
  const hasText = (key: string): boolean => {
    const lower = key.toLowerCase();
    return texts.every((text) => lower.includes(text));
  };
  const known = new Set(indexer.indexSizes.map(({ name }) => name));
  if (!indexes.every(({ name }) => known.has(name))) return;
  const [first, ...others] = indexes.map(({ name, value }) => indexer.indexKeys(name, value));
  for (const key of first ?? indexer.listKeys()) {
    yield;
    counted.scanned++;
    if (!hasText(key) || !others.every((keys) => keys.includes(key))) continue;
    if (labels !== undefined) {
      const item = indexer.getByKey(key);
      if (item === undefined || !labels.matches((label) => view.accessor.label(item, label))) continue;
    }
    found.push({ informer: id, key, kind, isPresent: true, changedAt: changedAt.get(key) ?? null });
    if (found.length >= mostCandidates) return;
  }
  // The recording keeps no labels and index values of objects that are gone.
  if (labels !== undefined || indexes.length > 0) return;
  for (const [key, at] of deleted) {
    yield;
    if (hasText(key) && indexer.getByKey(key) === undefined)
      found.push({ informer: id, key, kind, isPresent: false, changedAt: at });
  }
}

/** Exact keys and names first, then by key. */
function byRank(text: string): (a: SearchMatch, b: SearchMatch) => number {
  const wanted = text.trim().toLowerCase();
  const rank = ({ key, isPresent }: SearchMatch): number => {
    const lower = key.toLowerCase();
    const isExact = lower === wanted || lower.slice(lower.indexOf('/') + 1) === wanted;
    return (isExact ? 0 : 2) + (isPresent ? 0 : 1);
  };
  return (a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}
