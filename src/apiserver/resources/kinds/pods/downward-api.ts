import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { labelKeyErrors } from '../../../../meta/names.js';
import { quantityNanos } from '../../../../meta/quantity.js';
import type { ObjectFieldSelector, ResourceFieldSelector } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, invalids } from '../../causes.js';

/* References of a container's environment and of volumes to fields and resources of their pod. */

/** The fields that an environment variable may have as its value. */
export const ENV_FIELDS: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** The fields that a file of a volume may have as its content. */
export const VOLUME_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...ENV_FIELDS,
  ...VOLUME_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

const SUBSCRIPT = /^(.+?)\['(.*)'\]$/s;

/** Causes for a reference to a field: one of `supported`, or one label or annotation by its key. */
export function* fieldRefCauses(
  { apiVersion, fieldPath }: ObjectFieldSelector,
  supported: readonly string[],
  path: string,
): CauseSteps {
  if (!apiVersion) yield fieldRequired(`${path}.apiVersion`);
  else if (!fieldPath) yield fieldRequired(`${path}.fieldPath`);
  else {
    const [, map, key] = SUBSCRIPT.exec(fieldPath) ?? [];
    const problem = fieldProblem(apiVersion, fieldPath, map);
    if (problem !== undefined) {
      yield fieldInvalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${problem}`);
    } else if (key !== undefined) {
      const checked = map === 'metadata.annotations' ? key.toLowerCase() : key;
      yield* invalids(path, checked, labelKeyErrors(checked));
    } else {
      const field = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
      if (!supported.includes(field)) yield fieldNotSupported(`${path}.fieldPath`, field, supported);
    }
  }
}

function fieldProblem(apiVersion: string, fieldPath: string, map: string | undefined): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  if (map !== undefined) {
    const isMap = map === 'metadata.annotations' || map === 'metadata.labels';
    return isMap ? undefined : `field label does not support subscript: ${fieldPath}`;
  }
  const isKnown = KNOWN_FIELDS.has(fieldPath) || fieldPath === 'spec.host';
  return isKnown ? undefined : `field label not supported: ${fieldPath}`;
}

const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const BYTES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** Causes for a reference to a request or limit of a container, which a volume has to name. */
export function* resourceRefCauses(
  { containerName, resource, divisor }: ResourceFieldSelector,
  path: string,
  isVolume: boolean,
): CauseSteps {
  const isHugePages = /^(?:requests|limits)\.hugepages-/.test(resource ?? '');
  if (isVolume && !containerName) yield fieldRequired(`${path}.containerName`);
  else if (!resource) yield fieldRequired(`${path}.resource`);
  else if (!RESOURCES.includes(resource) && !isHugePages) {
    yield fieldNotSupported(`${path}.resource`, resource, RESOURCES);
  }
  if (!resource || divisor === undefined || quantityNanos(divisor) === 0n) return;
  const [, name] = resource.split('.');
  if (name === 'cpu') {
    if (divisor === '1' || divisor === '1m') return;
    const rule = "only divisor's values 1m and 1 are supported with the cpu resource";
    yield fieldInvalid(`${path}.divisor`, resource, rule);
  } else if ((RESOURCES.includes(resource) || isHugePages) && !BYTES.includes(divisor)) {
    const what = isHugePages ? 'hugepages' : name === 'memory' ? 'memory' : 'local ephemeral storage';
    const rule = `only divisor's values ${BYTES.join(', ')} are supported with the ${what} resource`;
    yield fieldInvalid(`${path}.divisor`, resource, rule);
  }
}
