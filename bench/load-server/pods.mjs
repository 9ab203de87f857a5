// Pods as a kube-apiserver sends them: 5 to 6 KB each, of which about 2 KB are managedFields.

const namespaces = 20;
const nodes = 200;
const apps = 100;

const hex = (value, digits) => (value >>> 0).toString(16).padStart(digits, '0');

/** The namespace of pod `i`. */
export const namespaceOf = (i) => `team-${i % namespaces}`;

/** The name of pod `i`. */
export const nameOf = (i) => `app-${i % apps}-6d4b75cb6d-${hex(i * 2654435761, 8).slice(0, 5)}${i}`;

const uidOf = (i) => `${hex(i * 2654435761, 8)}-1f0c-4c55-9a61-${hex(i, 12)}`;

const probe = (path, port) => ({
  httpGet: { path, port, scheme: 'HTTP' },
  initialDelaySeconds: 10,
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
});

const container = (name, i) => ({
  name,
  image: `registry.example.com/platform/${name}:v1.${i % 40}.3`,
  ports: [
    { name: 'http', containerPort: 8080, protocol: 'TCP' },
    { name: 'metrics', containerPort: 9090, protocol: 'TCP' },
  ],
  env: [
    { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    { name: 'LOG_LEVEL', value: 'info' },
    { name: 'DATABASE_URL', value: `postgres://db.${namespaceOf(i)}.svc.cluster.local:5432/app_${i % apps}` },
  ],
  resources: { limits: { cpu: '500m', memory: '512Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
  volumeMounts: [
    { name: 'config', mountPath: '/etc/config' },
    { name: 'kube-api-access-x7k2p', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
  ],
  livenessProbe: probe('/healthz', 8080),
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
});

const owned = (...fields) => Object.fromEntries(fields.map((field) => [field, {}]));

const ownedContainer = {
  '.': {},
  'f:env': {
    '.': {},
    'k:{"name":"POD_NAME"}': { '.': {}, 'f:name': {}, 'f:valueFrom': { '.': {}, 'f:fieldRef': {} } },
    'k:{"name":"LOG_LEVEL"}': owned('.', 'f:name', 'f:value'),
    'k:{"name":"DATABASE_URL"}': owned('.', 'f:name', 'f:value'),
  },
  ...owned('f:image', 'f:imagePullPolicy', 'f:name'),
  'f:ports': {
    '.': {},
    'k:{"containerPort":8080,"protocol":"TCP"}': owned('.', 'f:containerPort', 'f:name', 'f:protocol'),
    'k:{"containerPort":9090,"protocol":"TCP"}': owned('.', 'f:containerPort', 'f:name', 'f:protocol'),
  },
  'f:resources': {
    '.': {},
    'f:limits': owned('.', 'f:cpu', 'f:memory'),
    'f:requests': owned('.', 'f:cpu', 'f:memory'),
  },
  ...owned('f:terminationMessagePath', 'f:terminationMessagePolicy'),
  'f:volumeMounts': { '.': {}, 'k:{"mountPath":"/etc/config"}': owned('.', 'f:mountPath', 'f:name') },
};

const managedFields = [
  {
    manager: 'kube-controller-manager',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-03-01T10:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': {
        'f:generateName': {},
        'f:labels': owned('.', 'f:app.kubernetes.io/name', 'f:pod-template-hash', 'f:tier'),
        'f:ownerReferences': { '.': {}, 'k:{"uid":"0a1b2c3d-1f0c-4c55-9a61-00000000beef"}': {} },
      },
      'f:spec': {
        'f:containers': { 'k:{"name":"app"}': ownedContainer },
        ...owned('f:dnsPolicy', 'f:enableServiceLinks', 'f:restartPolicy', 'f:schedulerName', 'f:securityContext'),
        'f:volumes': { '.': {}, 'k:{"name":"config"}': { '.': {}, 'f:configMap': {}, 'f:name': {} } },
      },
    },
  },
  {
    manager: 'kubelet',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-03-01T10:00:09Z',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:status': {
        'f:conditions': {
          'k:{"type":"ContainersReady"}': owned('.', 'f:lastProbeTime', 'f:lastTransitionTime', 'f:status', 'f:type'),
          'k:{"type":"Ready"}': owned('.', 'f:lastProbeTime', 'f:lastTransitionTime', 'f:status', 'f:type'),
        },
        ...owned('f:containerStatuses', 'f:hostIP', 'f:phase', 'f:podIP', 'f:podIPs', 'f:startTime'),
      },
    },
    subresource: 'status',
  },
];

const condition = (type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: '2026-03-01T10:00:07Z' });

/** Pod `i` at version `resourceVersion`, without `kind` and `apiVersion`, as in a list. */
export function podOf(i, resourceVersion) {
  const app = `app-${i % apps}`;
  const ip = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
  return {
    metadata: {
      name: nameOf(i),
      generateName: `${app}-6d4b75cb6d-`,
      namespace: namespaceOf(i),
      uid: uidOf(i),
      resourceVersion: String(resourceVersion),
      generation: 1,
      creationTimestamp: '2026-03-01T10:00:00Z',
      labels: {
        'app.kubernetes.io/name': app,
        'pod-template-hash': '6d4b75cb6d',
        tier: i % 3 === 0 ? 'web' : 'worker',
      },
      annotations: { 'prometheus.io/scrape': 'true', 'example.com/note': 'Größe "M", geprüft' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-6d4b75cb6d`,
          uid: uidOf(i % apps),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields,
    },
    spec: {
      volumes: [
        { name: 'config', configMap: { name: `${app}-config`, defaultMode: 420 } },
        {
          name: 'kube-api-access-x7k2p',
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            ],
            defaultMode: 420,
          },
        },
      ],
      containers: [container('app', i)],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      serviceAccount: 'default',
      nodeName: `worker-${i % nodes}`,
      securityContext: {},
      schedulerName: 'default-scheduler',
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: {
      phase: 'Running',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        condition,
      ),
      hostIP: `192.168.0.${i % nodes}`,
      hostIPs: [{ ip: `192.168.0.${i % nodes}` }],
      podIP: ip,
      podIPs: [{ ip }],
      startTime: '2026-03-01T10:00:00Z',
      containerStatuses: [
        {
          name: 'app',
          state: { running: { startedAt: '2026-03-01T10:00:06Z' } },
          lastState: {},
          ready: true,
          restartCount: resourceVersion % 7,
          image: `registry.example.com/platform/app:v1.${i % 40}.3`,
          imageID: `registry.example.com/platform/app@sha256:${hex(i, 8).repeat(8)}`,
          containerID: `containerd://${hex(i * 40503, 8).repeat(8)}`,
          started: true,
        },
      ],
      qosClass: 'Burstable',
    },
  };
}

/** The same with `kind` and `apiVersion` in front, as in a watch event or an answer to a get. */
export const typedPodOf = (i, resourceVersion) => ({ kind: 'Pod', apiVersion: 'v1', ...podOf(i, resourceVersion) });

/** One line of a watch, newline included. */
export const eventBytes = (type, object) => Buffer.from(`${JSON.stringify({ type, object })}\n`);

/** The bookmark that ends the initial events of a watch-list, or any other one. */
export const bookmarkBytes = (resourceVersion, endsInitialEvents) =>
  eventBytes('BOOKMARK', {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      resourceVersion: String(resourceVersion),
      creationTimestamp: null,
      ...(endsInitialEvents ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    },
    spec: { containers: null },
    status: {},
  });
