import type { JsonObject } from '../../meta/json-values.js';
import { type ParsedLabelSelector, labelSelectorFromObject } from '../../meta/selectors/label-selector.js';
import type { RuleWithOperations } from '../../resources/types/admissionregistration-v1.js';
import type { AdmissionRequest } from '../resources/admission.js';
import { metadataOf } from '../resources/object-meta.js';
import type { ApiResource, Registry } from '../resources/registry.js';

/** A rule of a webhook or policy; those of policies can name objects. */
export type MatchRule = RuleWithOperations & { readonly resourceNames?: readonly string[] | undefined };

/** Which requests a webhook or policy is for. */
export interface Match {
  readonly rules: readonly MatchRule[];
  /** Requests that match one of these are not for it. */
  readonly excludeRules: readonly MatchRule[];
  readonly matchPolicy: string | undefined;
  readonly namespaceSelector: ParsedLabelSelector;
  readonly objectSelector: ParsedLabelSelector;
}

/** Reads the selectors and rules of a webhook, or of `matchConstraints` of a policy. */
export function matchOf(given: {
  readonly rules?: readonly MatchRule[] | undefined;
  readonly excludeRules?: readonly MatchRule[] | undefined;
  readonly matchPolicy?: string | undefined;
  readonly namespaceSelector?: object | undefined;
  readonly objectSelector?: object | undefined;
}): Match {
  return {
    rules: given.rules ?? [],
    excludeRules: given.excludeRules ?? [],
    matchPolicy: given.matchPolicy,
    namespaceSelector: labelSelectorFromObject(given.namespaceSelector ?? {}),
    objectSelector: labelSelectorFromObject(given.objectSelector ?? {}),
  };
}

/**
 * The resource, in the version of a rule, that a request is matched as; undefined if it does not match. With `Equivalent` it
 * can be another version of the resource of the request.
 */
export function matchedResource(match: Match, request: AdmissionRequest, registry: Registry): ApiResource | undefined {
  if (!selectsNamespace(match.namespaceSelector, request, registry)) return undefined;
  if (!selectsObject(match.objectSelector, request)) return undefined;
  if (findMatch(match.excludeRules, match.matchPolicy, request, registry) !== undefined) return undefined;
  return findMatch(match.rules, match.matchPolicy, request, registry);
}

/** The resource that the first rule is about: of the request itself, then of its other versions. */
export function findMatch(
  rules: readonly MatchRule[],
  matchPolicy: string | undefined,
  request: AdmissionRequest,
  registry: Registry,
): ApiResource | undefined {
  const { resource } = request;
  if (rules.some((rule) => ruleMatches(rule, request, resource))) return resource;
  if (matchPolicy !== 'Equivalent' || rules.length === 0) return undefined;
  const others = [...registry.served()].filter((other) => other !== resource && isEquivalent(other, resource));
  if (others.length === 0) return undefined;
  for (const rule of rules) for (const other of others) if (ruleMatches(rule, request, other)) return other;
  return undefined;
}

/** Versions of one resource share a collection. */
function isEquivalent(a: ApiResource, b: ApiResource): boolean {
  return a.collection === b.collection;
}

function ruleMatches(rule: MatchRule, request: AdmissionRequest, resource: ApiResource): boolean {
  return (
    scopeMatches(rule.scope ?? '*', resource, request.namespace) &&
    includes(rule.operations, request.operation) &&
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((pattern) => resourceMatches(pattern, resource.resource, request.subresource)) &&
    nameMatches(rule, request)
  );
}

function includes(patterns: readonly string[] | undefined, value: string): boolean {
  return patterns?.some((pattern) => pattern === '*' || pattern === value) ?? false;
}

/** A pattern is `pods`, `pods/status`, `*`, `*` and a subresource, or `pods` and any subresource. */
function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const at = pattern.indexOf('/');
  const [name, part] = at < 0 ? [pattern, ''] : [pattern.slice(0, at), pattern.slice(at + 1)];
  return (name === '*' || name === resource) && (part === '*' || part === subresource);
}

function scopeMatches(scope: string, { group, resource }: ApiResource, namespace: string): boolean {
  const isNamespaced = namespace !== '' && !(group === '' && resource === 'namespaces');
  return scope === '*' || (scope === 'Namespaced') === isNamespaced;
}

function nameMatches({ resourceNames = [] }: MatchRule, { name }: AdmissionRequest): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

/** The namespace of a cluster-scoped object is not selected by, unless it is a Namespace itself. */
function selectsNamespace(selector: ParsedLabelSelector, request: AdmissionRequest, registry: Registry): boolean {
  const { resource, namespace, operation, subresource, object } = request;
  const isNamespace = resource.resource === 'namespaces';
  if ((namespace === '' && !isNamespace) || selector.matchesEverything) return true;
  const isWritten = isNamespace && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');
  if (isWritten && object !== undefined) return selector.matches(labelsOf(object));
  const stored = registry.find('', 'v1', 'namespaces')?.collection.get(namespace);
  return stored !== undefined && selector.matches(stored.labels);
}

/** An update is selected if the state before or after it is. What has no metadata has no labels that could be selected. */
function selectsObject(selector: ParsedLabelSelector, { object, old }: AdmissionRequest): boolean {
  if (selector.matchesEverything) return true;
  return [object, old].some((state) => state?.['metadata'] !== undefined && selector.matches(labelsOf(state)));
}

function labelsOf(object: JsonObject): Record<string, string> {
  return (metadataOf(object) as { labels?: Record<string, string> } | undefined)?.labels ?? {};
}
