import type { Pod, PodSpec, ServiceAccount, Volume } from '../../../../resources/types/core-v1.js';
import type { Cluster } from '../../cluster.js';

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const VOLUME_STEM = 'kube-api-access-';
const MIRROR = 'kubernetes.io/config.mirror';
/** An hour and seven seconds, which tells these tokens from others. */
const TOKEN_SECONDS = 3607;

/**
 * The plugin ServiceAccount: a pod has the ServiceAccount `default` unless it names one, which must exist; it gets a volume with
 * a token of it unless either says no, and its imagePullSecrets unless it has its own.
 */
export function setServiceAccount(pod: Pod, spec: PodSpec, cluster: Cluster): void {
  if (pod.metadata.annotations?.[MIRROR] !== undefined) return;
  const namespace = pod.metadata.namespace ?? '';
  const name = spec.serviceAccountName || 'default';
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
  const account = cluster.get('', 'serviceaccounts', name, namespace) as unknown as ServiceAccount | undefined;
  if (account === undefined) {
    const missing = `serviceaccount ${JSON.stringify(name)} not found`;
    cluster.refuse(`error looking up service account ${namespace}/${name}: ${missing}`);
  }
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec, cluster);
  const { imagePullSecrets: secrets = [] } = account;
  if ((spec.imagePullSecrets ?? []).length === 0 && secrets.length > 0)
    spec.imagePullSecrets = structuredClone(secrets);
}

function mountToken(spec: PodSpec, cluster: Cluster): void {
  const present = (spec.volumes ?? []).find(({ name }) => name.startsWith(VOLUME_STEM))?.name;
  const name = present ?? cluster.randomName(VOLUME_STEM);
  let isNeeded = false;
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some(({ mountPath }) => mountPath === MOUNT_PATH)) continue;
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }];
    isNeeded = true;
  }
  if (isNeeded && present === undefined) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}
