import { fieldInvalid, fieldRequired } from '../../../../meta/errors/field-cause.js';
import type { ResourceQuota, ResourceQuotaSpec } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, eachEntry } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { roundAll } from '../pods/pod-defaults.js';
import { amountCauses, isQuotaResource, quotaResourceNameCauses } from '../pods/resource-rules.js';

export const resourceQuotas: Partial<Strategy> = strategyFor<ResourceQuota>({
  returnsDeleted: true,
  defaults({ spec, status }) {
    roundAll(spec?.hard);
    roundAll(status?.hard);
    roundAll(status?.used);
  },
  *causes({ spec = {}, status }, old, subresource): CauseSteps {
    if (subresource === 'status') {
      yield* eachEntry(status?.hard, 'status.hard', entryCauses);
      yield* eachEntry(status?.used, 'status.used', entryCauses);
      return;
    }
    yield* eachEntry(spec.hard, 'spec.hard', entryCauses);
    yield* scopeCauses(spec, 'spec.scopes');
    yield* scopeSelectorCauses(spec, 'spec.scopeSelector.matchExpressions');
    if (old === undefined) return;
    const sorted = (scopes: readonly string[] | undefined): string => JSON.stringify([...new Set(scopes)].sort());
    if (sorted(spec.scopes) !== sorted(old.spec?.scopes)) {
      yield fieldInvalid('spec.scopes', spec.scopes ?? null, 'field is immutable');
    }
  },
});

function* entryCauses(name: string, amount: string, path: string): CauseSteps {
  yield* quotaResourceNameCauses(name, path);
  yield* amountCauses(name, amount, path);
}

const POD_RESOURCES = [
  'pods',
  ...['', 'limits.', 'requests.'].flatMap((prefix) => [`${prefix}cpu`, `${prefix}memory`]),
];

/** The resources that a quota of one scope may limit. */
const SCOPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['Terminating', POD_RESOURCES],
  ['NotTerminating', POD_RESOURCES],
  ['BestEffort', ['pods']],
  ['NotBestEffort', POD_RESOURCES],
  ['PriorityClass', POD_RESOURCES],
  ['CrossNamespacePodAffinity', POD_RESOURCES],
  ['VolumeAttributesClass', ['persistentvolumeclaims', 'requests.storage']],
]);

/** How many of the limited resources a scope does not fit. */
function misfits(scope: string, { hard }: ResourceQuotaSpec): number {
  const fitting = SCOPES.get(scope);
  if (fitting === undefined) return 0;
  return Object.keys(hard ?? {}).filter((name) => isQuotaResource(name) && !fitting.includes(name)).length;
}

function isConflicting(scopes: readonly string[]): number {
  return [
    ['BestEffort', 'NotBestEffort'],
    ['Terminating', 'NotTerminating'],
  ].filter((pair) => pair.every((scope) => scopes.includes(scope))).length;
}

function* repeated(count: number, path: string, value: unknown, rule: string): CauseSteps {
  for (let i = 0; i < count; i++) yield fieldInvalid(path, value, rule);
}

function* scopeCauses(spec: ResourceQuotaSpec, path: string): CauseSteps {
  const scopes: readonly string[] = spec.scopes ?? [];
  for (const scope of scopes) {
    if (!SCOPES.has(scope)) yield fieldInvalid(path, scopes, 'unsupported scope');
    yield* repeated(misfits(scope, spec), path, scopes, 'unsupported scope applied to resource');
  }
  yield* repeated(isConflicting(scopes), path, scopes, 'conflicting scopes');
}

/** The scopes that a selector can only ask to exist. */
const WITHOUT_VALUES: ReadonlySet<string> = new Set(
  [...SCOPES.keys()].filter((scope) => scope !== 'PriorityClass' && scope !== 'VolumeAttributesClass'),
);

function* scopeSelectorCauses(spec: ResourceQuotaSpec, path: string): CauseSteps {
  const expressions = spec.scopeSelector?.matchExpressions ?? [];
  for (const { scopeName, operator, values } of expressions) {
    if (!SCOPES.has(scopeName)) yield fieldInvalid(`${path}.scopeName`, scopeName, 'unsupported scope');
    yield* repeated(misfits(scopeName, spec), path, spec.scopeSelector, 'unsupported scope applied to resource');
    if (WITHOUT_VALUES.has(scopeName) && operator !== 'Exists') {
      const rule =
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
      yield fieldInvalid(`${path}.operator`, operator, rule);
    }
    const count = (values ?? []).length;
    const name: string = operator;
    if (name === 'In' || name === 'NotIn') {
      if (count > 0) continue;
      const rule = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      yield fieldRequired(`${path}.values`, rule);
    } else if (name === 'Exists' || name === 'DoesNotExist') {
      if (count === 0) continue;
      const rule = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      yield fieldInvalid(`${path}.values`, values, rule);
    } else yield fieldInvalid(`${path}.operator`, operator, 'not a valid selector operator');
  }
  const scopes = expressions.map(({ scopeName }) => scopeName);
  yield* repeated(isConflicting(scopes), path, spec.scopes ?? null, 'conflicting scopes');
}
