import { ParseError, StatusError } from '../../../meta/errors/errors.js';
import { fieldForbidden, fieldNotSupported } from '../../../meta/errors/field-cause.js';
import { badRequest, invalid, type StatusCause } from '../../../meta/errors/status.js';
import { ParsedFieldSelector, parseFieldSelector } from '../../../meta/selectors/field-selector.js';
import { type ParsedLabelSelector, parseLabelSelector } from '../../../meta/selectors/label-selector.js';
import type { ApiResource } from '../../resources/registry.js';
import type { Revision } from '../../storage/storage.js';
import { queryFlag } from '../../wire/request-info.js';
import { integerParameter } from './request-options.js';
import { parseShardSelector, type ShardSelector } from './shard-selector.js';

/** The query of a list or watch. */
export interface ListOptions {
  readonly selection: Selection;
  /** As sent: empty for the latest, `0` for any. */
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** 0 for no limit. */
  readonly limit: number;
  readonly continueToken: string;
  readonly timeoutSeconds: number;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

/** The namespace, name and selectors of a list or watch. */
export class Selection {
  /** The prefix of every selected key. */
  readonly prefix: string;
  readonly labels: ParsedLabelSelector;
  readonly fields: ParsedFieldSelector;
  readonly shard: ShardSelector | undefined;

  constructor(prefix: string, labels: ParsedLabelSelector, fields: ParsedFieldSelector, shard?: ShardSelector) {
    this.prefix = prefix;
    this.labels = labels;
    this.fields = fields;
    this.shard = shard;
  }

  /** Whether only the namespace limits the selection. */
  get hasNoSelectors(): boolean {
    return this.isCountable && this.shard === undefined;
  }

  /** Whether a page tells how many objects remain, which ignores the shard. */
  get isCountable(): boolean {
    return this.labels.matchesEverything && this.fields.matchesEverything;
  }

  /** Whether the whole collection is selected. */
  get isEverything(): boolean {
    return this.prefix === '' && this.hasNoSelectors;
  }

  /** Whether name and selectors select an object; the caller compares the prefix. */
  selects(revision: Revision): boolean {
    if (this.shard?.selects(revision) === false || !this.labels.matches(revision.labels)) return false;
    for (const { field, operator, value } of this.fields.requirements) {
      if ((fieldOf(revision, field) === value) !== (operator === '=')) return false;
    }
    return true;
  }
}

function fieldOf(revision: Revision, field: string): string {
  if (field === 'metadata.name') return revision.name;
  if (field === 'metadata.namespace') return revision.namespace;
  return Object.hasOwn(revision.fields, field) ? revision.fields[field]! : '';
}

/**
 * Reads and checks the query of a list, watch or deletecollection. `name` narrows it to one object, as single watches do.
 * Without `shardedLists` the parameter `shardSelector` is ignored, as by a kube-apiserver whose feature gate is off.
 */
export function readListOptions(
  resource: ApiResource,
  namespace: string,
  name: string,
  query: URLSearchParams,
  isWatch: boolean,
  shardedLists = false,
): ListOptions {
  const limit = integerParameter(query, 'limit') ?? 0;
  const timeoutSeconds = integerParameter(query, 'timeoutSeconds') ?? 0;
  const labels = parsed(() => parseLabelSelector(query.get('labelSelector') ?? ''));
  const fields = parsed(() => parseFieldSelector(query.get('fieldSelector') ?? ''));
  const resourceVersion = query.get('resourceVersion') ?? '';
  const resourceVersionMatch = query.get('resourceVersionMatch') ?? '';
  const continueToken = query.get('continue') ?? '';
  const initial = initialEvents(query, isWatch, resourceVersion, resourceVersionMatch);
  const options = {
    resourceVersion,
    resourceVersionMatch: initial.match,
    limit,
    continueToken,
    timeoutSeconds,
    allowWatchBookmarks: queryFlag(query, 'allowWatchBookmarks'),
    sendInitialEvents: initial.sendInitialEvents,
  };
  const causes = isWatch ? watchCauses(options) : listCauses(options);
  if (causes.length > 0) throw new StatusError(invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', causes));
  const prefix = namespace === '' ? '' : `${namespace}/`;
  const known = knownFields(resource, fields, name);
  const sharded = shardedLists ? (query.get('shardSelector') ?? '') : '';
  const shard = sharded === '' ? undefined : parseShardSelector(sharded);
  return { ...options, selection: new Selection(prefix, labels, known, shard) };
}

/** A watch with resourceVersion unset or 0 starts with the existing objects, as with `sendInitialEvents=true`. */
function initialEvents(
  query: URLSearchParams,
  isWatch: boolean,
  resourceVersion: string,
  match: string,
): { sendInitialEvents: boolean | undefined; match: string } {
  if (query.has('sendInitialEvents')) return { sendInitialEvents: queryFlag(query, 'sendInitialEvents'), match };
  const isLegacy = isWatch && match === '' && (resourceVersion === '' || resourceVersion === '0');
  return isLegacy ? { sendInitialEvents: true, match: 'NotOlderThan' } : { sendInitialEvents: undefined, match };
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ParseError) throw new StatusError(badRequest(error.reason), { cause: error });
    throw error;
  }
}

/** The fields that a selector of this resource may name, with their stored names. */
function knownFields(resource: ApiResource, selector: ParsedFieldSelector, name: string): ParsedFieldSelector {
  const { fields, fieldAliases, unknownField } = resource.strategy;
  const requirements = selector.requirements.map((requirement) => {
    const field = Object.hasOwn(fieldAliases, requirement.field) ? fieldAliases[requirement.field]! : requirement.field;
    const isKnown =
      field !== requirement.field ||
      Object.hasOwn(fieldAliases, field) ||
      Object.hasOwn(fields, field) ||
      field === 'metadata.name' ||
      (field === 'metadata.namespace' && selectsByNamespace(resource));
    if (!isKnown) throw new StatusError(badRequest(unknownField(requirement.field)));
    return { ...requirement, field };
  });
  if (name === '') return new ParsedFieldSelector(requirements);
  if (requirements.length > 0 && selector.exactValue('metadata.name') !== name) {
    throw new StatusError(badRequest("fieldSelector metadata.name doesn't match requested name"));
  }
  return new ParsedFieldSelector([...requirements, { field: 'metadata.name', operator: '=', value: name }]);
}

/** Cluster-scoped kinds with fields of their own do not have `metadata.namespace` among them. */
function selectsByNamespace(resource: ApiResource): boolean {
  return resource.namespaced || Object.keys(resource.strategy.fields).length === 0;
}

const EXACT = 'Exact';
const NOT_OLDER_THAN = 'NotOlderThan';

function listCauses(options: Omit<ListOptions, 'selection'>): StatusCause[] {
  const causes: StatusCause[] = [];
  const match = options.resourceVersionMatch;
  const field = 'resourceVersionMatch';
  if (match !== '') {
    if (options.resourceVersion === '') {
      causes.push(fieldForbidden(field, `${field} is forbidden unless resourceVersion is provided`));
    }
    if (options.continueToken !== '')
      causes.push(fieldForbidden(field, `${field} is forbidden when continue is provided`));
    if (match !== EXACT && match !== NOT_OLDER_THAN) {
      causes.push(fieldNotSupported(field, match, [EXACT, NOT_OLDER_THAN, '']));
    }
    if (match === EXACT && options.resourceVersion === '0') {
      causes.push(fieldForbidden(field, `${field} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    causes.push(fieldForbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return causes;
}

function watchCauses(options: Omit<ListOptions, 'selection'>): StatusCause[] {
  const causes: StatusCause[] = [];
  const match = options.resourceVersionMatch;
  const field = 'resourceVersionMatch';
  if (options.sendInitialEvents !== undefined && match !== NOT_OLDER_THAN) {
    causes.push(fieldForbidden(field, `sendInitialEvents requires setting ${field} to ${NOT_OLDER_THAN}`));
  }
  if (match !== '') {
    if (options.sendInitialEvents === undefined) {
      causes.push(fieldForbidden(field, `${field} is forbidden for watch unless sendInitialEvents is provided`));
    }
    if (match !== NOT_OLDER_THAN) causes.push(fieldNotSupported(field, match, [NOT_OLDER_THAN]));
    if (options.continueToken !== '')
      causes.push(fieldForbidden(field, `${field} is forbidden when continue is provided`));
  }
  return causes;
}
