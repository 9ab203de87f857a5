import { fieldInvalid } from '../../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../../meta/errors/status.js';
import { valueAt } from '../../../../meta/json-paths.js';
import type { JsonObject } from '../../../../meta/json-values.js';
import type { Strategy } from '../../strategy.js';

export const leases: Partial<Strategy> = { createOnUpdate: true, unconditionalUpdate: false, causes: leaseCauses };

/** Causes for invalid times and counters of a Lease, which decide elections. */
function leaseCauses(lease: JsonObject): StatusCause[] {
  const causes: StatusCause[] = [];
  const duration = valueAt(lease, ['spec', 'leaseDurationSeconds']);
  if (typeof duration === 'number' && duration <= 0) {
    causes.push(fieldInvalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  }
  const transitions = valueAt(lease, ['spec', 'leaseTransitions']);
  if (typeof transitions === 'number' && transitions < 0) {
    causes.push(fieldInvalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
  }
  return causes;
}
