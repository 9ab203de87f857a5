import { valueAt } from '../../../meta/json-paths.js';
import { type Strategy, text } from '../strategy.js';

export const jobs: Partial<Strategy> = {
  generation: 'content',
  dependents: 'orphan',
  fields: { 'status.successful': (object) => text(valueAt(object, ['status', 'succeeded'])) || '0' },
  unknownField: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
};
