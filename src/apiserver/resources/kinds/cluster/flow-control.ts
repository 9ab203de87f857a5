import type { FlowSchema, PriorityLevelConfiguration } from '../../../../resources/types/flowcontrol-v1.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { fill } from '../fill.js';

export const flowSchemas: Partial<Strategy> = strategyFor<FlowSchema>({
  generation: 'content',
  defaults({ spec }) {
    if (spec !== undefined) spec.matchingPrecedence ??= 1000;
  },
});

export const priorityLevelConfigurations: Partial<Strategy> = strategyFor<PriorityLevelConfiguration>({
  generation: 'content',
  defaults({ spec }) {
    if (spec?.exempt !== undefined) fill(spec.exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 });
    if (spec?.limited === undefined) return;
    fill(spec.limited, { nominalConcurrencyShares: 30, lendablePercent: 0 });
    const queuing = spec.limited.limitResponse?.queuing;
    if (queuing !== undefined) fill(queuing, { handSize: 8, queues: 64, queueLengthLimit: 50 });
  },
});
