import { fieldDuplicate, fieldForbidden, fieldInvalid, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { labelKeyErrors } from '../../../../meta/names.js';
import { quantityNanos } from '../../../../meta/quantity.js';
import type { LimitRange, LimitRangeItem } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each, eachEntry, invalids } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { addMissing, fillEach } from '../fill.js';
import { roundAll } from '../pods/pod-defaults.js';
import { containerResourceNameCauses, isOvercommitAllowed, resourceNameCauses } from '../pods/resource-rules.js';

export const limitRanges: Partial<Strategy> = strategyFor<LimitRange>({
  createOnUpdate: true,
  defaults: ({ spec }) => fillEach(spec?.limits, fillLimit),
  *causes({ spec }): CauseSteps {
    const seen = new Set<string>();
    yield* each(spec?.limits, 'spec.limits', function* (limit, place) {
      yield* typeCauses(limit.type ?? '', `${place}.type`);
      if (seen.has(limit.type)) yield fieldDuplicate(`${place}.type`, limit.type);
      seen.add(limit.type);
      yield* limitCauses(limit, place);
    });
  },
});

const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** Containers without limits or requests get the greatest or smallest ones. */
function fillLimit(limit: LimitRangeItem): void {
  for (const list of LISTS) roundAll(limit[list]);
  if (limit.type !== 'Container') return;
  const limits = addMissing(limit.default, limit.max ?? {});
  const requests = addMissing(addMissing(limit.defaultRequest, limits), limit.min ?? {});
  if (Object.keys(limits).length > 0) limit.default = limits;
  if (Object.keys(requests).length > 0) limit.defaultRequest = requests;
}

const TYPES: ReadonlySet<string> = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);

function* typeCauses(type: string, path: string): CauseSteps {
  const errors = labelKeyErrors(type);
  yield* invalids(path, type, errors);
  if (errors.length === 0 && !type.includes('/') && !TYPES.has(type)) {
    yield fieldInvalid(path, type, 'must be a standard limit type or fully qualified');
  }
}

function* limitCauses(limit: LimitRangeItem, path: string): CauseSteps {
  const { type, min, max } = limit;
  const isPod = type === 'Pod';
  const nameCauses = isPod || type === 'Container' ? containerResourceNameCauses : resourceNameCauses;
  const names = new Set<string>();
  for (const list of LISTS) {
    const isDefault = list === 'default' || list === 'defaultRequest';
    if (isPod && isDefault) {
      if (Object.keys(limit[list] ?? {}).length > 0) {
        yield fieldForbidden(`${path}.${list}`, "may not be specified when `type` is 'Pod'");
      }
      continue;
    }
    yield* eachEntry(limit[list], `${path}.${list}`, (name, _amount, place) => {
      names.add(name);
      return nameCauses(name, place);
    });
  }
  if (type === 'PersistentVolumeClaim' && min?.['storage'] === undefined && max?.['storage'] === undefined) {
    const rule = 'either minimum or maximum storage value is required, but neither was provided';
    yield fieldRequired(`${path}.limits`, rule);
  }
  for (const name of names) yield* boundCauses(limit, isPod, name, path);
}

/** Causes for amounts of one resource that contradict each other. */
function* boundCauses(limit: LimitRangeItem, isPod: boolean, name: string, path: string): CauseSteps {
  const min = limit.min?.[name];
  const max = limit.max?.[name];
  const standard = isPod ? undefined : limit.default?.[name];
  const request = isPod ? undefined : limit.defaultRequest?.[name];
  const ratio = limit.maxLimitRequestRatio?.[name];
  const isAbove = (a: string | undefined, b: string | undefined): a is string =>
    a !== undefined && b !== undefined && quantityNanos(a) > quantityNanos(b);
  const at = (list: (typeof LISTS)[number]): string => `${path}.${list}[${name}]`;
  if (isAbove(min, max)) yield fieldInvalid(at('min'), min, `min value ${min} is greater than max value ${max}`);
  if (isAbove(min, request)) {
    const rule = `min value ${min} is greater than default request value ${request}`;
    yield fieldInvalid(at('defaultRequest'), request, rule);
  }
  if (isAbove(request, max)) {
    const rule = `default request value ${request} is greater than max value ${max}`;
    yield fieldInvalid(at('defaultRequest'), request, rule);
  }
  if (isAbove(request, standard)) {
    const rule = `default request value ${request} is greater than default limit value ${standard}`;
    yield fieldInvalid(at('defaultRequest'), request, rule);
  }
  if (isAbove(min, standard)) {
    yield fieldInvalid(at('default'), min, `min value ${min} is greater than default value ${standard}`);
  }
  if (isAbove(standard, max)) {
    yield fieldInvalid(at('default'), max, `default value ${standard} is greater than max value ${max}`);
  }
  if (ratio !== undefined && isAbove('1', ratio)) {
    yield fieldInvalid(at('maxLimitRequestRatio'), ratio, `ratio ${ratio} is less than 1`);
  }
  if (ratio !== undefined && min !== undefined && max !== undefined) {
    const most = Number(quantityNanos(max)) / Number(quantityNanos(min));
    if (Number(quantityNanos(ratio)) / 1e9 > most) {
      const rule = `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`;
      yield fieldInvalid(at('maxLimitRequestRatio'), ratio, rule);
    }
  }
  if (isOvercommitAllowed(name) || standard === undefined || request === undefined) return;
  if (quantityNanos(standard) !== quantityNanos(request)) {
    const rule = `default value ${standard} must equal to defaultRequest value ${request} in ${name}`;
    yield fieldInvalid(at('defaultRequest'), request, rule);
  }
}
