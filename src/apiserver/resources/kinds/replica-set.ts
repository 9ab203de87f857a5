import { valueAt } from '../../../meta/json-paths.js';
import { type SelectableFields, type Strategy, text } from '../strategy.js';

/** The selectable field of ReplicaSets and ReplicationControllers. */
export const replicaFields: SelectableFields = {
  'status.replicas': (object) => text(valueAt(object, ['status', 'replicas'])) || '0',
};

export const replicaSets: Partial<Strategy> = { generation: 'content', fields: replicaFields };
