import type { CSIDriver } from '../../../../resources/types/storage-v1.js';
import type { CauseSteps } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { fill } from '../fill.js';
import { immutableCauses } from '../label-rules.js';

export const csiDrivers: Partial<Strategy> = strategyFor<CSIDriver>({
  returnsDeleted: true,
  unconditionalUpdate: false,
  generation: 'none',
  defaults({ spec }) {
    fill(spec, {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
      seLinuxMount: false,
    });
    if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ['Persistent'];
  },
  *causes({ spec }, old): CauseSteps {
    if (old === undefined) return;
    // kube-apiserver writes this path with another name.
    yield* immutableCauses(spec.attachRequired, old.spec.attachRequired, 'spec.attachedRequired');
    yield* immutableCauses(spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, 'spec.volumeLifecycleModes');
  },
});
