import { valueAt } from '../../../meta/json-paths.js';
import { notSupported, type Strategy, text } from '../strategy.js';

export const nodes: Partial<Strategy> = {
  fields: { 'spec.unschedulable': (object) => text(valueAt(object, ['spec', 'unschedulable'])) || 'false' },
  unknownField: notSupported,
  createsStatus: true,
};
