import { valueAt } from '../../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { fields, notSupported, type Strategy, text } from '../strategy.js';

export const pods: Partial<Strategy> = {
  fields: {
    ...fields('spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName', 'status.phase'),
    'spec.hostNetwork': (object) => text(valueAt(object, ['spec', 'hostNetwork'])) || 'false',
    ...fields('status.nominatedNodeName'),
    'status.podIP': (object) => text(valueAt(object, ['status', 'podIP'])),
    'status.podIPs': () => '',
  },
  fieldAliases: { 'spec.host': 'spec.nodeName' },
  unknownField: notSupported,
  generation: 'content',
  returnsDeleted: true,
  statusWrites: 'metadataButOwners',
  gracePeriod: podGracePeriod,
  prepareCreate(object) {
    object['status'] = { phase: 'Pending', qosClass: qosClass(object) };
  },
};

/** The grace period of a pod: 0 if it is not on a node or has finished. */
function podGracePeriod(pod: JsonObject, asked: number | undefined): number {
  const wanted = asked ?? Number(valueAt(pod, ['spec', 'terminationGracePeriodSeconds']) ?? 30);
  const phase = valueAt(pod, ['status', 'phase']);
  const isIdle = text(valueAt(pod, ['spec', 'nodeName'])) === '' || phase === 'Succeeded' || phase === 'Failed';
  return isIdle ? 0 : wanted < 0 ? 1 : wanted;
}

function qosClass(pod: JsonObject): string {
  const spec = isJsonObject(pod['spec']) ? pod['spec'] : {};
  const lists = [spec['containers'], spec['initContainers']].filter(Array.isArray) as unknown[][];
  const containers = lists.flat().filter(isJsonObject);
  const amounts = containers.map((container) => {
    const limits = valueAt(container, ['resources', 'limits']);
    const requests = valueAt(container, ['resources', 'requests']);
    return {
      limits: isJsonObject(limits) ? limits : {},
      requests: isJsonObject(requests) ? requests : undefined,
    };
  });
  const isAnySet = amounts.some(
    ({ limits, requests }) => Object.keys(limits).length + Object.keys(requests ?? {}).length > 0,
  );
  if (!isAnySet) return 'BestEffort';
  const isGuaranteed = amounts.every(({ limits, requests }) =>
    ['cpu', 'memory'].every(
      (name) => limits[name] !== undefined && (requests?.[name] ?? limits[name]) === limits[name],
    ),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}
