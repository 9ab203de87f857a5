import { isDeepStrictEqual } from 'node:util';
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import type { DaemonSet, DaemonSetSpec } from '../../../../resources/types/apps-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { type CauseSteps, nonNegative } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { fill } from '../fill.js';
import { immutableCauses, isEmptySelector, selectorCauses } from '../label-rules.js';
import { fillTemplate } from '../pods/pod-defaults.js';
import { endingPodCauses, templateCauses, unselectedCauses } from '../pods/pod-template.js';
import {
  collisionCauses,
  countCauses,
  countOrPercent,
  countOrPercentCauses,
  internalStrategy,
  mostPercentCauses,
  NO_TEMPLATE,
} from './workload.js';

/** Counts the changes of the template. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSets: Partial<Strategy> = strategyFor<DaemonSet>({
  generation: 'content',
  defaults: fillDaemonSet,
  canonicalize: countTemplates,
  causes: daemonSetCauses,
});

function* fillDaemonSet({ metadata, spec }: DaemonSet): Steps<void> {
  // Its value comes later; its manager is the one that writes the object.
  if (metadata.annotations?.[TEMPLATE_GENERATION] === undefined) {
    metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: '0' };
  }
  if (spec === undefined) return;
  fill(spec, { revisionHistoryLimit: 10 });
  const strategy = (spec.updateStrategy ??= {});
  fill(strategy, { type: 'RollingUpdate' });
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {};
    fill(strategy.rollingUpdate, { maxUnavailable: 1, maxSurge: 0 });
  }
  yield* fillTemplate(spec.template);
}

function countTemplates({ metadata, spec }: DaemonSet, old: DaemonSet | undefined): void {
  const given = Number((old ?? { metadata }).metadata.annotations?.[TEMPLATE_GENERATION] ?? 0) || 0;
  const isChanged = old !== undefined && !isDeepStrictEqual(spec?.template, old.spec?.template);
  const generation = old === undefined ? Math.max(given, 1) : given + (isChanged ? 1 : 0);
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
}

function* daemonSetCauses({ spec, status }: DaemonSet, old: DaemonSet | undefined, subresource: string): CauseSteps {
  if (subresource === 'status') {
    if (status === undefined) return;
    yield* countCauses(status, [
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ]);
    yield* collisionCauses(status, old?.status);
    return;
  }
  if (old !== undefined) yield* immutableCauses(spec?.selector, old.spec?.selector, 'spec.selector');
  const { selector, template = NO_TEMPLATE } = spec ?? {};
  yield* selectorCauses(selector, 'spec.selector');
  yield* unselectedCauses(selector, template, 'spec.template');
  if (selector !== undefined && isEmptySelector(selector)) {
    yield fieldInvalid('spec.selector', selector, 'empty selector is invalid for daemonset');
  }
  yield* templateCauses(template, 'spec.template');
  yield* endingPodCauses(template, 'DaemonSet', 'spec.template');
  yield* nonNegative(spec?.minReadySeconds, 'spec.minReadySeconds');
  yield* updateStrategyCauses(spec?.updateStrategy ?? {}, 'spec.updateStrategy');
  yield* nonNegative(spec?.revisionHistoryLimit, 'spec.revisionHistoryLimit');
}

function* updateStrategyCauses(strategy: NonNullable<DaemonSetSpec['updateStrategy']>, path: string): CauseSteps {
  const { rollingUpdate } = strategy;
  const type: string | undefined = strategy.type;
  if (type === 'OnDelete') return;
  if (type !== 'RollingUpdate') {
    yield fieldNotSupported(path, internalStrategy(strategy), ['RollingUpdate', 'OnDelete']);
    return;
  }
  const place = `${path}.rollingUpdate`;
  if (rollingUpdate === undefined) {
    yield fieldRequired(place);
    return;
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  yield* countOrPercentCauses(maxUnavailable, `${place}.maxUnavailable`);
  yield* countOrPercentCauses(maxSurge, `${place}.maxSurge`);
  yield* mostPercentCauses(maxUnavailable, `${place}.maxUnavailable`);
  yield* mostPercentCauses(maxSurge, `${place}.maxSurge`);
  const hasSurge = countOrPercent(maxSurge) !== 0;
  if (countOrPercent(maxUnavailable) !== 0) {
    if (hasSurge) yield fieldInvalid(`${place}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero');
  } else if (!hasSurge) yield fieldRequired(`${place}.maxUnavailable`, 'cannot be 0 when maxSurge is 0');
}
