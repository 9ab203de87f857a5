import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import type { Deployment, DeploymentSpec, DeploymentStrategy } from '../../../../resources/types/apps-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { type CauseSteps, nonNegative } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { fill } from '../fill.js';
import { immutableCauses, selects } from '../label-rules.js';
import { fillTemplate } from '../pods/pod-defaults.js';
import { endingPodCauses, templateCauses, unselectedCauses } from '../pods/pod-template.js';
import {
  availableCauses,
  collisionCauses,
  countCauses,
  countOrPercent,
  countOrPercentCauses,
  excessCauses,
  internalStrategy,
  mostPercentCauses,
  NO_TEMPLATE,
  noRollingCauses,
  requiredSelectorCauses,
} from './workload.js';

export const deployments: Partial<Strategy> = strategyFor<Deployment>({
  generation: 'contentAndAnnotations',
  statusWrites: 'metadataButLabels',
  defaults: fillDeployment,
  causes: deploymentCauses,
});

function* fillDeployment({ spec }: Deployment): Steps<void> {
  if (spec === undefined) return;
  fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  const strategy: DeploymentStrategy = (spec.strategy ??= {});
  fill(strategy, { type: 'RollingUpdate' });
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {};
    fill(strategy.rollingUpdate, { maxUnavailable: '25%', maxSurge: '25%' });
  }
  yield* fillTemplate(spec.template);
}

function* deploymentCauses(
  { spec, status = {} }: Deployment,
  old: Deployment | undefined,
  subresource: string,
): CauseSteps {
  if (subresource === 'status') {
    const counts = ['updatedReplicas', 'readyReplicas', 'availableReplicas'] as const;
    const others = [
      'observedGeneration',
      'replicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ] as const;
    yield* countCauses(status, [...others, ...counts]);
    yield* excessCauses(status, counts);
    yield* availableCauses(status);
    yield* collisionCauses(status, old?.status);
    return;
  }
  yield* specCauses(spec ?? { selector: undefined as never, template: NO_TEMPLATE });
  if (old !== undefined) yield* immutableCauses(spec?.selector, old.spec?.selector, 'spec.selector');
}

function* specCauses(spec: DeploymentSpec): CauseSteps {
  const { selector, template = NO_TEMPLATE, minReadySeconds = 0, progressDeadlineSeconds: deadline } = spec;
  yield* nonNegative(spec.replicas, 'spec.replicas');
  yield* requiredSelectorCauses(selector, 'deployment', 'spec.selector');
  yield* replicaTemplateCauses(selector, template);
  yield* strategyCauses(spec.strategy ?? {}, 'spec.strategy');
  yield* nonNegative(spec.minReadySeconds, 'spec.minReadySeconds');
  yield* nonNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit');
  yield* nonNegative(deadline, 'spec.progressDeadlineSeconds');
  if (deadline !== undefined && deadline <= minReadySeconds) {
    yield fieldInvalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds');
  }
}

/** Causes for the template of a Deployment or ReplicaSet. */
export function* replicaTemplateCauses(
  selector: DeploymentSpec['selector'] | undefined,
  template: DeploymentSpec['template'],
): CauseSteps {
  if (selector !== undefined && selects(selector, {}) === undefined) {
    yield fieldInvalid('spec.selector', selector, 'invalid label selector');
    return;
  }
  yield* unselectedCauses(selector, template, 'spec.template');
  yield* templateCauses(template, 'spec.template');
  yield* endingPodCauses(template, 'ReplicaSet', 'spec.template');
}

function* strategyCauses(strategy: DeploymentStrategy, path: string): CauseSteps {
  const { rollingUpdate } = strategy;
  const type: string | undefined = strategy.type;
  if (type === 'Recreate') yield* noRollingCauses(rollingUpdate !== undefined, type, `${path}.rollingUpdate`);
  else if (type !== 'RollingUpdate') {
    yield fieldNotSupported(path, internalStrategy(strategy), ['Recreate', 'RollingUpdate']);
  } else if (rollingUpdate === undefined) {
    yield fieldRequired(`${path}.rollingUpdate`, 'this should be defaulted and never be nil');
  } else {
    const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
    const place = `${path}.rollingUpdate`;
    yield* countOrPercentCauses(maxUnavailable, `${place}.maxUnavailable`);
    yield* countOrPercentCauses(maxSurge, `${place}.maxSurge`);
    if (countOrPercent(maxUnavailable) === 0 && countOrPercent(maxSurge) === 0) {
      yield fieldInvalid(`${place}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0');
    }
    yield* mostPercentCauses(maxUnavailable, `${place}.maxUnavailable`);
  }
}
