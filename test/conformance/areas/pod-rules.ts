import { type Area, defineArea } from '../area.js';
import { namespaced, type Refusal, type RefusedChange, refusals, refusedChanges } from '../refusals.js';

/* Rules of Pods: one row for each refusal. */

const pods = namespaced('/api/v1', 'pods');

const spec = (given: object) => ({ spec: given });
const main = (given: object = {}) => ({ name: 'main', image: 'one', ...given });
const pod = (given: object) => ({ spec: { containers: [main()], ...given } });
const container = (given: object) => pod({ containers: [main(given)] });
const volume = (given: object) => pod({ volumes: [{ name: 'v', ...given }] });

const rows: readonly Refusal[] = [
  ['a pod without containers', pods, spec({ containers: [] }), ['spec.containers', 'Required value']],
  [
    'a pod with two volumes of one name',
    pods,
    pod({
      volumes: [
        { name: 'v', emptyDir: {} },
        { name: 'v', emptyDir: {} },
      ],
    }),
    ['spec.volumes[1].name', 'Duplicate value: "v"'],
  ],
  [
    'a pod that mounts a volume it does not have',
    pods,
    container({ volumeMounts: [{ name: 'v', mountPath: '/a' }] }),
    ['spec.containers[0].volumeMounts[0].name', 'Not found: "v"'],
  ],
  [
    'a pod with a mount without a path',
    pods,
    {
      spec: {
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [main({ volumeMounts: [{ name: 'v', mountPath: '' }] })],
      },
    },
    ['spec.containers[0].volumeMounts[0].mountPath', 'Required value'],
  ],
  [
    'a pod that mounts two volumes at one path',
    pods,
    {
      spec: {
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [
          main({
            volumeMounts: [
              { name: 'v', mountPath: '/a' },
              { name: 'v', mountPath: '/a' },
            ],
          }),
        ],
      },
    },
    ['spec.containers[0].volumeMounts[1].mountPath', 'Invalid value: "/a": must be unique'],
  ],
  [
    'a pod that mounts a path above the volume',
    pods,
    {
      spec: {
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [main({ volumeMounts: [{ name: 'v', mountPath: '/a', subPath: '../b' }] })],
      },
    },
    ['spec.containers[0].volumeMounts.subPath', 'Invalid value: "../b": must not contain \'..\''],
  ],
  [
    'a pod with a host path of a wrong type',
    pods,
    volume({ hostPath: { path: '/a', type: 'Wrong' } }),
    [
      'spec.volumes[0].hostPath.type',
      'Unsupported value: "Wrong": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
  ],
  [
    'a pod with a volume of a config map without a name',
    pods,
    volume({ configMap: {} }),
    ['spec.volumes[0].configMap.name', 'Required value'],
  ],
  [
    'a pod with a secret of a wrong mode',
    pods,
    volume({ secret: { secretName: 's', defaultMode: 1000 } }),
    [
      'spec.volumes[0].secret.defaultMode',
      'Invalid value: 1000: must be a number between 0 and 0777 (octal), both inclusive',
    ],
  ],
  [
    'a pod with a token that expires at once',
    pods,
    volume({ projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 1 } }] } }),
    [
      'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds',
      'Invalid value: 1: may not specify a duration less than 10 minutes',
    ],
    [
      'spec.volumes[0].projected.sources[0].serviceAccountToken',
      'Forbidden: must not be specified when serviceAccountName is not set',
    ],
  ],
  [
    'a pod with a volume of an unknown field',
    pods,
    volume({ downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'spec.nothing' } }] } }),
    [
      'spec.volumes[0].downwardAPI.fieldRef.fieldPath',
      'Invalid value: "spec.nothing": error converting fieldPath: field label not supported: spec.nothing',
    ],
  ],
  [
    'a pod with a claim without a name',
    pods,
    volume({ persistentVolumeClaim: { claimName: '' } }),
    ['spec.volumes[0].persistentVolumeClaim.claimName', 'Required value'],
  ],
  [
    'a pod with a CSI volume without a driver',
    pods,
    volume({ csi: { driver: '' } }),
    ['spec.volumes[0].csi.driver', 'Required value'],
  ],
  [
    'a pod with a variable of an unknown field',
    pods,
    container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.nothing' } } }] }),
    [
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath',
      'Invalid value: "metadata.nothing": error converting fieldPath: field label not supported: metadata.nothing',
    ],
  ],
  [
    'a pod with a variable of an unknown resource',
    pods,
    container({ env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.nothing' } } }] }),
    [
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.resource',
      'Unsupported value: "limits.nothing": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
    ],
  ],
  [
    'a pod with variables from nothing',
    pods,
    container({ envFrom: [{ prefix: 'A' }] }),
    ['spec.containers[0].envFrom', 'Invalid value: "": must specify one of: `configMapRef` or `secretRef`'],
  ],
  [
    'a pod that asks for a negative amount',
    pods,
    container({ resources: { limits: { cpu: '-1' } } }),
    ['spec.containers[0].resources.limits[cpu]', 'Invalid value: "-1": must be greater than or equal to 0'],
    ['spec.containers[0].resources.requests[cpu]', 'Invalid value: "-1": must be greater than or equal to 0'],
  ],
  [
    'a pod with huge pages and no memory',
    pods,
    container({ resources: { limits: { 'hugepages-2Mi': '4Mi' } } }),
    ['spec.containers[0].resources', 'Forbidden: HugePages require cpu or memory'],
  ],
  [
    'a pod with an HTTP probe without a port',
    pods,
    container({ readinessProbe: { httpGet: { path: '/' } } }),
    ['spec.containers[0].readinessProbe.httpGet.port', 'Invalid value: 0: must be between 1 and 65535, inclusive'],
  ],
  [
    'a pod with a negative period of a probe',
    pods,
    container({ livenessProbe: { tcpSocket: { port: 80 }, periodSeconds: -1 } }),
    ['spec.containers[0].livenessProbe.periodSeconds', 'Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a pod with a probe of a wrong scheme',
    pods,
    container({ livenessProbe: { httpGet: { port: 80, path: '/', scheme: 'FTP' } } }),
    ['spec.containers[0].livenessProbe.httpGet.scheme', 'Unsupported value: "FTP": supported values: "HTTP", "HTTPS"'],
  ],
  [
    'a pod with a grace period of a readiness probe',
    pods,
    container({ readinessProbe: { exec: { command: ['a'] }, terminationGracePeriodSeconds: 3 } }),
    [
      'spec.containers[0].readinessProbe.terminationGracePeriodSeconds',
      'Invalid value: 3: must not be set for readinessProbes',
    ],
  ],
  [
    'a pod with a hook that has no handler',
    pods,
    container({ lifecycle: { preStop: {} } }),
    ['spec.containers[0].lifecycle.preStop', 'Required value: must specify a handler type'],
  ],
  [
    'a pod with a hook that sleeps a negative time',
    pods,
    container({ lifecycle: { preStop: { sleep: { seconds: -1 } } } }),
    [
      'spec.containers[0].lifecycle.preStop.sleep',
      'Invalid value: -1: must be non-negative and less than terminationGracePeriodSeconds (30)',
    ],
  ],
  [
    'a pod with an init container that has a probe',
    pods,
    pod({ initContainers: [main({ name: 'init', livenessProbe: { tcpSocket: { port: 80 } } })] }),
    [
      'spec.initContainers[0].livenessProbe',
      'Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
  ],
  [
    'a pod with an init container of a wrong restart policy',
    pods,
    pod({ initContainers: [main({ name: 'init', restartPolicy: 'Sometimes' })] }),
    [
      'spec.initContainers[0].restartPolicy',
      'Unsupported value: "Sometimes": supported values: "Always", "Never", "OnFailure"',
    ],
  ],
  [
    'a pod with an init container of the name of another',
    pods,
    pod({ initContainers: [main()] }),
    ['spec.initContainers[0].name', 'Duplicate value: "main"'],
  ],
  [
    'a pod with ephemeral containers',
    pods,
    pod({ ephemeralContainers: [main({ name: 'debug' })] }),
    ['spec.ephemeralContainers', 'Forbidden: cannot be set on create'],
  ],
  [
    'a pod with two gates of one name',
    pods,
    pod({ schedulingGates: [{ name: 'a' }, { name: 'a' }] }),
    ['spec.schedulingGates[1]', 'Duplicate value: "a"'],
  ],
  [
    'a pod with a wrong gate',
    pods,
    pod({ schedulingGates: [{ name: 'a b' }] }),
    [
      'spec.schedulingGates[0]',
      "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    'a pod with a negative deadline',
    pods,
    pod({ activeDeadlineSeconds: -1 }),
    ['spec.activeDeadlineSeconds', 'Invalid value: -1: must be between 1 and 2147483647, inclusive'],
  ],
  [
    'a pod with a wrong node selector',
    pods,
    pod({ nodeSelector: { 'a b': 'c' } }),
    [
      'spec.nodeSelector',
      "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    'a pod with an affinity of a wrong operator',
    pods,
    pod({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Is' }] }],
          },
        },
      },
    }),
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator',
      'Invalid value: "Is": not a valid selector operator',
    ],
  ],
  [
    'a pod with an affinity of no terms',
    pods,
    pod({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } }),
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
      'Required value: must have at least one node selector term',
    ],
  ],
  [
    'a pod with a preference of no weight',
    pods,
    pod({
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: {} }] } },
    }),
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight',
      'Invalid value: 0: must be in the range 1-100',
    ],
  ],
  [
    'a pod with a spread of no skew',
    pods,
    pod({ topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] }),
    ['spec.topologySpreadConstraints[0].maxSkew', 'Invalid value: 0: must be greater than zero'],
  ],
  [
    'a pod with a spread of a wrong action',
    pods,
    pod({ topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'Wait' }] }),
    [
      'spec.topologySpreadConstraints[0].whenUnsatisfiable',
      'Unsupported value: "Wait": supported values: "DoNotSchedule", "ScheduleAnyway"',
    ],
  ],
  [
    'a pod with a toleration of seconds and no effect',
    pods,
    pod({ tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 1 }] }),
    ['spec.tolerations[0].effect', 'Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set'],
  ],
  [
    'a pod with an alias of a wrong address',
    pods,
    pod({ hostAliases: [{ ip: 'x', hostnames: ['a'] }] }),
    ['spec.hostAliases[0].ip', 'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ],
  [
    'a pod with a wrong sysctl',
    pods,
    pod({ securityContext: { sysctls: [{ name: 'A B', value: '1' }] } }),
    [
      'spec.securityContext.sysctls[0].name',
      'Invalid value: "A B": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
    ],
  ],
  [
    'a pod with a profile of a file and no path',
    pods,
    pod({ securityContext: { seccompProfile: { type: 'Localhost' } } }),
    [
      'spec.securityContext.seccompProfile.localhostProfile',
      'Required value: must be set when seccomp type is Localhost',
    ],
  ],
  [
    'a pod with a wrong process mount',
    pods,
    container({ securityContext: { procMount: 'Wrong' } }),
    [
      'spec.containers[0].securityContext.procMount',
      'Unsupported value: "Wrong": supported values: "Default", "Unmasked"',
    ],
  ],
  [
    'a pod that shares processes with the host and itself',
    pods,
    pod({ hostPID: true, shareProcessNamespace: true }),
    [
      'spec.securityContext.shareProcessNamespace',
      'Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
    ],
  ],
  [
    'a pod with a wrong readiness gate',
    pods,
    pod({ readinessGates: [{ conditionType: 'a b' }] }),
    [
      'spec.readinessGates[0].conditionType',
      "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    'a pod with too many name servers',
    pods,
    pod({ dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'] } }),
    [
      'spec.dnsConfig.nameservers',
      'Invalid value: ["1.1.1.1","1.1.1.2","1.1.1.3","1.1.1.4"]: must not have more than 3 nameservers',
    ],
  ],
  [
    'a pod of Linux with a field of Windows',
    pods,
    pod({ os: { name: 'linux' }, securityContext: { windowsOptions: { runAsUserName: 'a' } } }),
    ['spec.securityContext.windowsOptions', 'Forbidden: windows options cannot be set for a linux pod'],
  ],
  [
    'a pod with a wrong resize policy',
    pods,
    container({ resizePolicy: [{ resourceName: 'disk', restartPolicy: 'NotRequired' }] }),
    ['spec.containers[0].resizePolicy', 'Unsupported value: "disk": supported values: "cpu", "memory"'],
  ],
  [
    'a pod with a wrong service account',
    pods,
    pod({ serviceAccountName: 'A_B', automountServiceAccountToken: false }),
    [
      'spec.serviceAccountName',
      "Invalid value: \"A_B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    'a pod with a wrong subdomain',
    pods,
    pod({ subdomain: 'A_B', hostname: 'x' }),
    [
      'spec.subdomain',
      "Invalid value: \"A_B\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    'a pod that runs as a negative group',
    pods,
    container({ securityContext: { runAsGroup: -1 } }),
    ['spec.containers[0].securityContext.runAsGroup', 'Invalid value: -1: must be between 0 and 2147483647, inclusive'],
  ],
  [
    'a pod with a wrong group policy',
    pods,
    pod({ securityContext: { fsGroupChangePolicy: 'Wrong', fsGroup: -1 } }),
    ['spec.securityContext.fsGroup', 'Invalid value: -1: must be between 0 and 2147483647, inclusive'],
    [
      'spec.securityContext.fsGroupChangePolicy',
      'Unsupported value: "Wrong": supported values: "Always", "OnRootMismatch"',
    ],
  ],
  [
    'a pod with supplemental groups below zero',
    pods,
    pod({ securityContext: { supplementalGroups: [-1] } }),
    ['spec.securityContext.supplementalGroups[0]', 'Invalid value: -1: must be between 0 and 2147483647, inclusive'],
  ],
  [
    'a pod with an AppArmor profile of a wrong type',
    pods,
    container({ securityContext: { appArmorProfile: { type: 'Wrong' } } }),
    [
      'spec.containers[0].securityContext.appArmorProfile.type',
      'Unsupported value: "Wrong": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ],
  ],
  [
    'a pod with a wrong message policy',
    pods,
    container({ terminationMessagePolicy: 'Wrong' }),
    [
      'spec.containers[0].terminationMessagePolicy',
      'Unsupported value: "Wrong": supported values: "File", "FallbackToLogsOnError"',
    ],
  ],
  [
    'a pod with a wrong mount propagation',
    pods,
    pod({
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [main({ volumeMounts: [{ name: 'v', mountPath: '/a', mountPropagation: 'Wrong' }] })],
    }),
    [
      'spec.containers[0].volumeMounts.mountPropagation',
      'Unsupported value: "Wrong": supported values: "Bidirectional", "HostToContainer", "None"',
    ],
  ],
  [
    'a pod with a bidirectional mount without privileges',
    pods,
    pod({
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [main({ volumeMounts: [{ name: 'v', mountPath: '/a', mountPropagation: 'Bidirectional' }] })],
    }),
    [
      'spec.containers[0].volumeMounts.mountPropagation',
      'Forbidden: Bidirectional mount propagation is available only to privileged containers',
    ],
  ],
  [
    'a pod with an NFS volume without a server',
    pods,
    volume({ nfs: { server: '', path: 'a' } }),
    ['spec.volumes[0].nfs.server', 'Required value'],
    ['spec.volumes[0].nfs.path', 'Invalid value: "a": must be an absolute path'],
  ],
  [
    'a pod with an iSCSI volume of nothing',
    pods,
    volume({ iscsi: { targetPortal: '', iqn: 'x', lun: 300 } }),
    ['spec.volumes[0].iscsi.targetPortal', 'Required value'],
    ['spec.volumes[0].iscsi.iqn', 'Invalid value: "x": must be valid format starting with iqn, eui, or naa'],
    ['spec.volumes[0].iscsi.lun', 'Invalid value: 300: must be between 0 and 255, inclusive'],
  ],
  [
    'a pod with a git volume of nothing',
    pods,
    volume({ gitRepo: { repository: '' } }),
    ['spec.volumes[0].gitRepo.repository', 'Required value'],
  ],
  [
    'a pod with a fibre channel volume of nothing',
    pods,
    volume({ fc: {} }),
    ['spec.volumes[0].fc.targetWWNs', 'Required value: must specify either targetWWNs or wwids, but not both'],
  ],
  [
    'a pod with an ephemeral volume without a template',
    pods,
    volume({ ephemeral: {} }),
    ['spec.volumes[0].ephemeral.volumeClaimTemplate', 'Required value'],
  ],
  [
    'a pod with an ephemeral volume without storage',
    pods,
    volume({ ephemeral: { volumeClaimTemplate: { spec: { accessModes: [] } } } }),
    [
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes',
      'Required value: at least 1 access mode is required',
    ],
    ['spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]', 'Required value'],
  ],
  [
    'a pod with an image volume without an image',
    pods,
    volume({ image: {} }),
    ['spec.volumes[0].image.reference', 'Required value'],
  ],
  [
    'a pod with an empty directory of a negative size',
    pods,
    volume({ emptyDir: { sizeLimit: '-1' } }),
    ['spec.volumes[0].emptyDir.sizeLimit', 'Forbidden: SizeLimit field must be a valid resource quantity'],
  ],
  [
    'a pod with a key path above the volume',
    pods,
    volume({ configMap: { name: 'c', items: [{ key: 'a', path: '../b' }] } }),
    ['spec.volumes[0].configMap.items[0].path', 'Invalid value: "../b": must not contain \'..\''],
  ],
  [
    'a pod with a device without a path',
    pods,
    pod({
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
      containers: [main({ volumeDevices: [{ name: 'v', devicePath: '' }] })],
    }),
    ['spec.containers[0].volumeDevices[0].devicePath', 'Required value'],
  ],
  [
    'a pod with a resource claim without a source',
    pods,
    pod({ resourceClaims: [{ name: 'a' }] }),
    [
      'spec.resourceClaims[0]',
      'Invalid value: {"Name":"a","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    ],
  ],
  [
    'a pod with a resource claim that is not there',
    pods,
    container({ resources: { claims: [{ name: 'a' }] } }),
    [
      'spec.containers[0].resources.claims[0]',
      'Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
    ],
  ],
  [
    'a pod with a preference of too much weight',
    pods,
    pod({
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: { topologyKey: 'zone' } }],
        },
      },
    }),
    [
      'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight',
      'Invalid value: 101: must be in the range 1-100',
    ],
  ],
  [
    'a pod with affinity to a wrong namespace',
    pods,
    pod({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'zone', namespaces: ['A_B'], labelSelector: {} },
          ],
        },
      },
    }),
    [
      'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace',
      "Invalid value: \"A_B\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    'a pod with a node field that is not the name',
    pods,
    pod({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['a'] }] }],
          },
        },
      },
    }),
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key',
      'Invalid value: "metadata.uid": not a valid field selector key',
    ],
  ],
  [
    'a pod with a comparison of a text',
    pods,
    pod({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['x', 'y'] }] }],
          },
        },
      },
    }),
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values',
      "Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
    ],
  ],
  [
    'a pod with a spread of two equal keys',
    pods,
    pod({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
      ],
    }),
    ['spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}', 'Duplicate value: "{zone, DoNotSchedule}"'],
  ],
  [
    'a pod with a spread of few domains anyway',
    pods,
    pod({
      topologySpreadConstraints: [{ maxSkew: 1, minDomains: 0, topologyKey: '', whenUnsatisfiable: 'ScheduleAnyway' }],
    }),
    ['spec.topologySpreadConstraints[0].topologyKey', 'Required value: can not be empty'],
    ['spec.topologySpreadConstraints[0].minDomains', 'Invalid value: 0: must be greater than zero'],
    [
      'spec.topologySpreadConstraints[0].minDomains',
      'Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
    ],
  ],
  [
    'a pod with a spread of a wrong policy',
    pods,
    pod({
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          nodeAffinityPolicy: 'Wrong',
          matchLabelKeys: ['a'],
        },
      ],
    }),
    [
      'spec.topologySpreadConstraints[0].nodeAffinityPolicy',
      'Unsupported value: "Wrong": supported values: "Honor", "Ignore"',
    ],
    [
      'spec.topologySpreadConstraints[0].matchLabelKeys',
      'Forbidden: must not be specified when labelSelector is not set',
    ],
  ],
  [
    'a pod with a GRPC probe of a wrong port',
    pods,
    container({ livenessProbe: { grpc: { port: 0 } } }),
    ['spec.containers[0].livenessProbe.grpc.port', 'Invalid value: 0: must be between 1 and 65535, inclusive'],
  ],
  [
    'a pod with a header of a wrong name',
    pods,
    container({ livenessProbe: { httpGet: { port: 80, path: '/', httpHeaders: [{ name: 'a b', value: 'c' }] } } }),
    [
      'spec.containers[0].livenessProbe.httpGet.httpHeaders',
      "Invalid value: \"a b\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
    ],
  ],
  [
    'a pod with a startup probe of no command that must succeed twice',
    pods,
    container({ startupProbe: { exec: { command: [] }, successThreshold: 2 } }),
    ['spec.containers[0].startupProbe.exec.command', 'Required value'],
    ['spec.containers[0].startupProbe.successThreshold', 'Invalid value: 2: must be 1'],
  ],
  [
    'a pod with a variable of a wrong key',
    pods,
    container({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'a b' } } }] }),
    [
      'spec.containers[0].env[0].valueFrom.secretKeyRef.key',
      "Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ],
  ],
  [
    'a pod with a wrong overhead',
    pods,
    pod({ overhead: { cpu: '-1' } }),
    ['spec.overhead.limits[cpu]', 'Invalid value: "-1": must be greater than or equal to 0'],
  ],
  [
    'a pod with options of DNS without names',
    pods,
    pod({ dnsConfig: { options: [{ value: 'a' }], searches: ['a b'], nameservers: ['x'] } }),
    [
      'spec.dnsConfig.nameservers[0]',
      'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      'spec.dnsConfig.searches[0]',
      "Invalid value: \"a b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
    ],
    ['spec.dnsConfig.options[0]', 'Required value: must not be empty'],
  ],
  [
    'a pod of a wrong system',
    pods,
    pod({ os: { name: 'plan9' } }),
    ['spec.os', 'Unsupported value: "plan9": supported values: "linux", "windows"'],
  ],
  [
    'a pod of Windows with a field of Linux',
    pods,
    pod({ os: { name: 'windows' }, securityContext: { fsGroup: 1 }, hostPID: true }),
    ['spec.hostPID', 'Forbidden: cannot be set for a windows pod'],
    ['spec.securityContext.fsGroup', 'Forbidden: cannot be set for a windows pod'],
  ],
  [
    'a pod with its own users in the network of the host',
    pods,
    pod({ hostUsers: false, hostNetwork: true }),
    ['spec.hostNetwork', 'Forbidden: when `hostUsers` is false'],
  ],
  [
    'a pod with host ports twice',
    pods,
    container({
      ports: [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 81, hostPort: 80 },
      ],
    }),
    ['spec.containers[0].ports[1].hostPort', 'Duplicate value: "TCP//80"'],
  ],
  [
    'a pod with resources of its own of a wrong kind',
    pods,
    pod({ resources: { limits: { disk: '1' } } }),
    ['spec.resources.limits[disk]', 'Invalid value: "disk": must be a standard resource type or fully qualified'],
  ],
  [
    'a pod with resources of its own below its containers',
    pods,
    { spec: { resources: { requests: { cpu: '1' } }, containers: [main({ resources: { requests: { cpu: '2' } } })] } },
    [
      'spec.resources.requests[cpu]',
      'Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
    ],
  ],
  [
    'a pod with restart rules and no policy',
    pods,
    container({ restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }] }),
    ['spec.containers[0].restartPolicy', 'Required value: must specify restartPolicy when restart rules are used'],
  ],
  [
    'a pod on a node of a wrong name',
    pods,
    pod({ nodeName: 'A_B' }),
    [
      'spec.nodeName',
      "Invalid value: \"A_B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
];

/** Merge patches of fields that keep their values. */
const changes: readonly RefusedChange[] = [
  [
    'the tolerations of a pod',
    pods,
    pod({ tolerations: [{ key: 'a', operator: 'Exists' }] }),
    spec({ tolerations: [] }),
    'spec.tolerations',
    'Forbidden: existing toleration can not be modified except its tolerationSeconds',
  ],
  [
    'the deadline of a pod',
    pods,
    pod({ activeDeadlineSeconds: 5 }),
    spec({ activeDeadlineSeconds: 6 }),
    'spec.activeDeadlineSeconds',
    'Invalid value: 6: must be less than or equal to previous value',
  ],
  [
    'the gates of a pod',
    pods,
    pod({}),
    spec({ schedulingGates: [{ name: 'a' }] }),
    'spec.schedulingGates[0].name',
    "Forbidden: only deletion is allowed, but found new scheduling gate 'a'",
  ],
  [
    'the number of the containers of a pod',
    pods,
    pod({}),
    spec({ containers: [main(), main({ name: 'other' })] }),
    'spec.containers',
    'Forbidden: pod updates may not add or remove containers',
  ],
];

export const area: Area = defineArea('rules of pods', (rule) => {
  refusals(rule, rows);
  refusedChanges(rule, changes);
});
