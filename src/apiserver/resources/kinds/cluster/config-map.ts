import { fieldForbidden, fieldInvalid, fieldTooLong } from '../../../../meta/errors/field-cause.js';
import { configKeyErrors } from '../../../../meta/names.js';
import type { ConfigMap } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, eachEntry, invalids } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { base64Bytes, isSame } from './config-data.js';

/** The most bytes in all values of a ConfigMap or Secret. */
export const MAX_DATA_BYTES: number = 1024 * 1024;

export const configMaps: Partial<Strategy> = strategyFor<ConfigMap>({
  *causes(configMap, old): CauseSteps {
    if (old?.immutable === true) yield* frozenCauses(configMap, old);
    const { data, binaryData } = configMap;
    let bytes = 0;
    yield* eachEntry(data, 'data', function* (key, value, path): CauseSteps {
      yield* invalids(path, key, configKeyErrors(key));
      if (binaryData !== undefined && Object.hasOwn(binaryData, key)) {
        yield fieldInvalid(path, key, 'duplicate of key present in binaryData');
      }
      bytes += Buffer.byteLength(value);
    });
    yield* eachEntry(binaryData, 'binaryData', function* (key, value, path): CauseSteps {
      yield* invalids(path, key, configKeyErrors(key));
      bytes += base64Bytes(value);
    });
    // kube-apiserver prints the path of no field so.
    if (bytes > MAX_DATA_BYTES) yield fieldTooLong('[]', MAX_DATA_BYTES);
  },
});

const detail = 'field is immutable when `immutable` is set';

function* frozenCauses(configMap: ConfigMap, old: ConfigMap): CauseSteps {
  if (configMap.immutable !== true) yield fieldForbidden('immutable', detail);
  if (!(yield* isSame(configMap.data, old.data))) yield fieldForbidden('data', detail);
  if (!(yield* isSame(configMap.binaryData, old.binaryData))) yield fieldForbidden('binaryData', detail);
}
