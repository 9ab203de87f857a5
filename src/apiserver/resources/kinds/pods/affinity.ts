import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../../../meta/errors/field-cause.js';
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelKeyErrors,
  labelValueErrors,
} from '../../../../meta/names.js';
import type { LabelSelector } from '../../../../meta/objects.js';
import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  Toleration,
  TopologySpreadConstraint,
} from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each, invalids, oneOfIfSet } from '../../causes.js';
import { operatorCauses, selectorCauses } from '../label-rules.js';

/* Where a pod may run: affinities, tolerations and topology spread constraints. */

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Causes for the affinities of a pod. */
export function* affinityCauses(affinity: Affinity | undefined, path: string): CauseSteps {
  if (affinity === undefined) return;
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  if (nodeAffinity !== undefined) {
    const place = `${path}.nodeAffinity`;
    if (nodeAffinity[REQUIRED] !== undefined) yield* nodeSelectorCauses(nodeAffinity[REQUIRED], `${place}.${REQUIRED}`);
    yield* each(nodeAffinity[PREFERRED], `${place}.${PREFERRED}`, function* ({ weight, preference }, term) {
      yield* weightCauses(weight, term);
      yield* nodeTermCauses(preference, `${term}.preference`, false);
    });
  }
  if (podAffinity !== undefined) yield* podAffinityCauses(podAffinity, `${path}.podAffinity`);
  if (podAntiAffinity !== undefined) yield* podAffinityCauses(podAntiAffinity, `${path}.podAntiAffinity`);
}

function* weightCauses(weight: number, path: string): CauseSteps {
  if (weight < 1 || weight > 100) yield fieldInvalid(`${path}.weight`, weight, 'must be in the range 1-100');
}

/** Causes for a selector of nodes. */
function* nodeSelectorCauses({ nodeSelectorTerms }: NodeSelector, path: string): CauseSteps {
  const place = `${path}.nodeSelectorTerms`;
  if ((nodeSelectorTerms ?? []).length === 0) yield fieldRequired(place, 'must have at least one node selector term');
  yield* each(nodeSelectorTerms, place, (term, termPath) => nodeTermCauses(term, termPath, true));
}

function* nodeTermCauses(
  { matchExpressions, matchFields }: NodeSelectorTerm,
  path: string,
  checksValues: boolean,
): CauseSteps {
  yield* each(matchExpressions, `${path}.matchExpressions`, (requirement, place) =>
    nodeRequirementCauses(requirement, place, checksValues),
  );
  yield* each(matchFields, `${path}.matchFields`, nodeFieldCauses);
}

function* nodeRequirementCauses(
  { key, operator, values }: NodeSelectorRequirement,
  path: string,
  checksValues: boolean,
): CauseSteps {
  const list = values ?? [];
  if (operator === 'Gt' || operator === 'Lt') {
    if (list.length !== 1) {
      yield fieldRequired(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else yield* operatorCauses(operator, list, path);
  yield* invalids(`${path}.key`, key, labelKeyErrors(key));
  if (!checksValues) return;
  yield* each(list, `${path}.values`, (value, place) => invalids(place, value, labelValueErrors(value)));
}

function* nodeFieldCauses({ key, operator, values }: NodeSelectorRequirement, path: string): CauseSteps {
  if (operator !== 'In' && operator !== 'NotIn') {
    yield fieldInvalid(`${path}.operator`, operator, 'not a valid selector operator');
  } else if ((values ?? []).length !== 1) {
    const rule = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    yield fieldRequired(`${path}.values`, rule);
  }
  if (key !== 'metadata.name') yield fieldInvalid(`${path}.key`, key, 'not a valid field selector key');
  else yield* each(values, `${path}.values`, (value, place) => invalids(place, value, dns1123SubdomainErrors(value)));
}

function* podAffinityCauses(affinity: PodAffinity, path: string): CauseSteps {
  yield* each(affinity[REQUIRED], `${path}.${REQUIRED}`, podTermCauses);
  yield* each(affinity[PREFERRED], `${path}.${PREFERRED}`, function* ({ weight, podAffinityTerm }, place) {
    yield* weightCauses(weight, place);
    yield* podTermCauses(podAffinityTerm, `${place}.podAffinityTerm`);
  });
}

function* podTermCauses(term: PodAffinityTerm, path: string): CauseSteps {
  const { labelSelector, namespaceSelector, namespaces, matchLabelKeys, mismatchLabelKeys, topologyKey = '' } = term;
  yield* selectorCauses(labelSelector, `${path}.labelSelector`);
  yield* selectorCauses(namespaceSelector, `${path}.namespaceSelector`);
  for (const name of namespaces ?? []) yield* invalids(`${path}.namespace`, name, dns1123LabelErrors(name));
  yield* labelKeysCauses(matchLabelKeys ?? [], mismatchLabelKeys ?? [], labelSelector, path);
  if (!topologyKey) yield fieldRequired(`${path}.topologyKey`, 'can not be empty');
  yield* invalids(`${path}.topologyKey`, topologyKey, labelKeyErrors(topologyKey));
}

/** Causes for the keys of labels whose values come from the pod itself. */
function* labelKeysCauses(
  match: readonly string[],
  mismatch: readonly string[],
  selector: LabelSelector | undefined,
  path: string,
): CauseSteps {
  for (const [field, keys] of [
    ['matchLabelKeys', match],
    ['mismatchLabelKeys', mismatch],
  ] as const) {
    if (keys.length === 0) continue;
    if (selector === undefined) {
      yield fieldForbidden(`${path}.${field}`, 'must not be specified when labelSelector is not set');
    } else yield* each(keys, `${path}.${field}`, (key, place) => invalids(place, key, labelKeyErrors(key)));
  }
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  for (const { key } of selector?.matchExpressions ?? []) {
    const at = match.lastIndexOf(key);
    if (at >= 0 && seen.has(key)) {
      yield fieldInvalid(`${path}[${at}]`, key, 'exists in both matchLabelKeys and labelSelector');
    }
    seen.add(key);
  }
  for (const [at, key] of match.entries()) {
    if (!mismatch.includes(key)) continue;
    yield fieldInvalid(`${path}.matchLabelKeys[${at}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys');
  }
}

/** Causes for the topology spread constraints of a pod. */
export function* spreadCauses(constraints: readonly TopologySpreadConstraint[] | undefined, path: string): CauseSteps {
  const pairs = (constraints ?? []).map(
    ({ topologyKey, whenUnsatisfiable }) => `{${topologyKey}, ${whenUnsatisfiable}}`,
  );
  yield* each(constraints, path, function* (constraint, place, at) {
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains, labelSelector } = constraint;
    if (maxSkew <= 0) yield fieldInvalid(`${place}.maxSkew`, maxSkew, 'must be greater than zero');
    if (!topologyKey) yield fieldRequired(`${place}.topologyKey`, 'can not be empty');
    const actions = ['DoNotSchedule', 'ScheduleAnyway'];
    if (!actions.includes(whenUnsatisfiable)) {
      yield fieldNotSupported(`${place}.whenUnsatisfiable`, whenUnsatisfiable ?? '', actions);
    }
    if (pairs.indexOf(pairs[at]!, at + 1) > at) {
      yield fieldDuplicate(`${place}.{topologyKey, whenUnsatisfiable}`, pairs[at]);
    }
    if (minDomains !== undefined) {
      if (minDomains <= 0) yield fieldInvalid(`${place}.minDomains`, minDomains, 'must be greater than zero');
      if (whenUnsatisfiable !== 'DoNotSchedule') {
        const rule = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
        yield fieldInvalid(`${place}.minDomains`, minDomains, rule);
      }
    }
    yield* oneOfIfSet(constraint.nodeAffinityPolicy, ['Honor', 'Ignore'], `${place}.nodeAffinityPolicy`);
    yield* oneOfIfSet(constraint.nodeTaintsPolicy, ['Honor', 'Ignore'], `${place}.nodeTaintsPolicy`);
    yield* labelKeysCauses(constraint.matchLabelKeys ?? [], [], labelSelector, place);
    yield* selectorCauses(labelSelector, `${place}.labelSelector`);
  });
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Causes for the effect of a taint. */
export function* effectCauses(effect: string | undefined, path: string): CauseSteps {
  if (!effect) yield fieldRequired(path);
  else if (!EFFECTS.includes(effect)) yield fieldNotSupported(path, effect, EFFECTS);
}

/** Causes for tolerations. */
export function* tolerationCauses(tolerations: readonly Toleration[] | undefined, path: string): CauseSteps {
  yield* each(tolerations, path, function* (toleration, place) {
    const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
    if (key) yield* invalids(`${place}.key`, key, labelKeyErrors(key));
    else if (operator !== 'Exists') {
      const rule = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      yield fieldInvalid(`${place}.operator`, operator, rule);
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      yield fieldInvalid(`${place}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (operator === 'Equal' || operator === '') {
      const errors = labelValueErrors(value);
      if (errors.length > 0) yield fieldInvalid(`${place}.operator`, value, errors.join(';'));
    } else if (operator === 'Exists') {
      if (value) yield fieldInvalid(`${place}.operator`, value, "value must be empty when `operator` is 'Exists'");
    } else {
      const isComparison = operator === 'Lt' || operator === 'Gt';
      const supported = isComparison ? ['Equal', 'Exists', 'Lt', 'Gt'] : ['Equal', 'Exists'];
      yield fieldNotSupported(`${place}.operator`, operator, supported);
    }
    if (effect) yield* effectCauses(effect, `${place}.effect`);
  });
}
