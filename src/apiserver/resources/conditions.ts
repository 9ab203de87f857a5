import { setValueAt, valueAt } from '../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';

/** Sets a condition; lastTransitionTime changes only with the condition's status. */
export function setCondition(
  object: JsonObject,
  timestamp: string,
  condition: { readonly type: string; readonly status: string; readonly reason: string; readonly message: string },
): void {
  const found = valueAt(object, ['status', 'conditions']);
  const conditions = (Array.isArray(found) ? found : []).filter(isJsonObject);
  const { type, status, reason, message } = condition;
  const old = conditions.find((candidate) => candidate['type'] === type);
  const lastTransitionTime = old?.['status'] === status ? old['lastTransitionTime'] : timestamp;
  const updated = { type, status, lastTransitionTime, reason, message };
  const next = old === undefined ? [...conditions, updated] : conditions.map((one) => (one === old ? updated : one));
  setValueAt(object, ['status', 'conditions'], next);
}

/** Whether an object has a condition of a type with the status `True`. */
export function isConditionTrue(object: JsonObject, type: string): boolean {
  const conditions = valueAt(object, ['status', 'conditions']);
  if (!Array.isArray(conditions)) return false;
  return conditions.some((one) => isJsonObject(one) && one['type'] === type && one['status'] === 'True');
}
