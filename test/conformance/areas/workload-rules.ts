import { type Area, defineArea } from '../area.js';
import { namespaced, type Refusal, type RefusedChange, refusals, refusedChanges } from '../refusals.js';

/* Rules of workloads, quotas, limits, priorities and nodes: one row for each refusal. */

const deployments = namespaced('/apis/apps/v1', 'deployments');
const replicaSets = namespaced('/apis/apps/v1', 'replicasets');
const statefulSets = namespaced('/apis/apps/v1', 'statefulsets');
const daemonSets = namespaced('/apis/apps/v1', 'daemonsets');
const jobs = namespaced('/apis/batch/v1', 'jobs');
const cronJobs = namespaced('/apis/batch/v1', 'cronjobs');
const budgets = namespaced('/apis/policy/v1', 'poddisruptionbudgets');
const scalers = namespaced('/apis/autoscaling/v2', 'horizontalpodautoscalers');
const quotas = namespaced('/api/v1', 'resourcequotas');
const limitRanges = namespaced('/api/v1', 'limitranges');
const priorityClasses = () => '/apis/scheduling.k8s.io/v1/priorityclasses';
const nodes = () => '/api/v1/nodes';

const spec = (given: object) => ({ spec: given });
const main = (given: object = {}) => ({ name: 'main', image: 'one', ...given });
const labels = { app: 'x' };
const selected = (given: object, podSpec: object = {}) => ({
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [main()], ...podSpec } },
    ...given,
  },
});
const jobSpec = (given: object) => ({
  template: { spec: { containers: [main()], restartPolicy: 'Never' } },
  ...given,
});
const job = (given: object) => ({ spec: jobSpec(given) });
const cronJob = (given: object, ofJob: object = {}) => ({
  spec: { schedule: '* * * * *', jobTemplate: { spec: jobSpec(ofJob) }, ...given },
});
const scaler = (given: object) => ({
  spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, ...given },
});
const limits = (given: object) => ({ spec: { limits: [given] } });

const rows: readonly Refusal[] = [
  [
    'a deployment that recreates and rolls',
    deployments,
    selected({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }),
    ['spec.strategy.rollingUpdate', "Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  ],
  [
    'a deployment of a wrong strategy',
    deployments,
    selected({ strategy: { type: 'Wrong' } }),
    [
      'spec.strategy',
      'Unsupported value: {"Type":"Wrong","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
  ],
  [
    'a deployment that can neither surge nor lack',
    deployments,
    selected({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
    ['spec.strategy.rollingUpdate.maxUnavailable', 'Invalid value: 0: may not be 0 when `maxSurge` is 0'],
  ],
  [
    'a deployment that lacks more than all',
    deployments,
    selected({ strategy: { rollingUpdate: { maxUnavailable: '101%' } } }),
    ['spec.strategy.rollingUpdate.maxUnavailable', 'Invalid value: "101%": must not be greater than 100%'],
  ],
  [
    'a deployment of negative replicas',
    deployments,
    selected({ replicas: -1 }),
    ['spec.replicas', 'Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a deployment with a deadline below its time to be ready',
    deployments,
    selected({ minReadySeconds: 10, progressDeadlineSeconds: 10 }),
    ['spec.progressDeadlineSeconds', 'Invalid value: 10: must be greater than minReadySeconds'],
  ],
  [
    'a deployment of a negative history',
    deployments,
    selected({ revisionHistoryLimit: -1 }),
    ['spec.revisionHistoryLimit', 'Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a deployment with a wrong expression',
    deployments,
    selected({ selector: { matchExpressions: [{ key: 'app', operator: 'In' }] } }),
    [
      'spec.selector.matchExpressions[0].values',
      "Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
    ['spec.selector', 'Invalid value: {"matchExpressions":[{"key":"app","operator":"In"}]}: invalid label selector'],
  ],
  [
    'a deployment with an annotation of a wrong name',
    deployments,
    selected({ template: { metadata: { labels, annotations: { 'a b': 'c' } }, spec: { containers: [main()] } } }),
    [
      'spec.template.annotations',
      "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    'a replica set of negative replicas',
    replicaSets,
    selected({ replicas: -1 }),
    ['spec.replicas', 'Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a replica set whose template does not fit',
    replicaSets,
    selected({ selector: { matchLabels: { app: 'y' } } }),
    ['spec.template.metadata.labels', 'Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
  ],
  [
    'a stateful set of a wrong pod management',
    statefulSets,
    selected({ podManagementPolicy: 'Wrong' }),
    ['spec.podManagementPolicy', "Invalid value: \"Wrong\": must be 'OrderedReady' or 'Parallel'"],
  ],
  [
    'a stateful set of negative replicas',
    statefulSets,
    selected({ replicas: -1 }),
    ['spec.replicas', 'Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a stateful set that starts below zero',
    statefulSets,
    selected({ ordinals: { start: -1 } }),
    ['spec.ordinals.start', 'Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a stateful set of a wrong retention',
    statefulSets,
    selected({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Wrong', whenScaled: 'Retain' } }),
    [
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted',
      'Unsupported value: "Wrong": supported values: "Retain", "Delete"',
    ],
  ],
  [
    'a stateful set that restarts no pod',
    statefulSets,
    selected({}, { restartPolicy: 'Never' }),
    ['spec.template.spec.restartPolicy', 'Unsupported value: "Never": supported values: "Always"'],
  ],
  [
    'a daemon set of a wrong strategy',
    daemonSets,
    selected({ updateStrategy: { type: 'Wrong' } }),
    [
      'spec.updateStrategy',
      'Unsupported value: {"Type":"Wrong","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
    ],
  ],
  [
    'a daemon set without a selector',
    daemonSets,
    selected({ selector: {} }),
    ['spec.selector', 'Invalid value: {}: empty selector is invalid for daemonset'],
  ],
  [
    'a daemon set of a deadline',
    daemonSets,
    selected({}, { activeDeadlineSeconds: 1 }),
    ['spec.template.spec.activeDeadlineSeconds', 'Forbidden: activeDeadlineSeconds in DaemonSet is not Supported'],
  ],
  [
    'a job of a wrong completion mode',
    jobs,
    job({ completionMode: 'Wrong' }),
    ['spec.completionMode', 'Unsupported value: "Wrong": supported values: "NonIndexed", "Indexed"'],
  ],
  [
    'a job of negative completions',
    jobs,
    job({ completions: -1 }),
    ['spec.completions', 'Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a job of a negative time to live',
    jobs,
    job({ ttlSecondsAfterFinished: -1 }),
    ['spec.ttlSecondsAfterFinished', 'Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a job with a limit for each index without indexes',
    jobs,
    job({ backoffLimitPerIndex: 1 }),
    ['spec.backoffLimitPerIndex', 'Invalid value: 1: requires indexed completion mode'],
  ],
  [
    'a job with a failure policy that restarts',
    jobs,
    {
      spec: {
        template: { spec: { containers: [main()], restartPolicy: 'OnFailure' } },
        podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] },
      },
    },
    [
      'spec.template.spec.restartPolicy',
      'Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    ],
  ],
  [
    'a job with a failure rule of no exit codes',
    jobs,
    job({ podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [] } }] } }),
    ['spec.podFailurePolicy.rules[0].onExitCodes.values', 'Invalid value: []: at least one value is required'],
  ],
  [
    'a job with a failure rule of a wrong action',
    jobs,
    job({ podFailurePolicy: { rules: [{ action: 'Wrong', onExitCodes: { operator: 'In', values: [1] } }] } }),
    [
      'spec.podFailurePolicy.rules[0].action',
      'Unsupported value: "Wrong": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
    ],
  ],
  [
    'a job with a success policy without indexes',
    jobs,
    job({ successPolicy: { rules: [{ succeededCount: 1 }] } }),
    [
      'spec.successPolicy',
      'Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
    ],
  ],
  [
    'a job of a wrong replacement policy',
    jobs,
    job({ podReplacementPolicy: 'Wrong' }),
    ['spec.podReplacementPolicy', 'Unsupported value: "Wrong": supported values: "Failed", "TerminatingOrFailed"'],
  ],
  [
    'a job managed by a name without a domain',
    jobs,
    job({ managedBy: 'me' }),
    ['spec.managedBy', 'Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    'a job of a negative deadline',
    jobs,
    job({ activeDeadlineSeconds: -1 }),
    ['spec.activeDeadlineSeconds', 'Invalid value: -1: must be greater than or equal to 0'],
  ],
  ['a cron job without a schedule', cronJobs, cronJob({ schedule: '' }), ['spec.schedule', 'Required value']],
  [
    'a cron job with a zone in its schedule',
    cronJobs,
    cronJob({ schedule: 'TZ=UTC * * * * *' }),
    [
      'spec.schedule',
      'Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  ],
  [
    'a cron job of an unknown zone',
    cronJobs,
    cronJob({ timeZone: 'Nowhere/Town' }),
    ['spec.timeZone', 'Invalid value: "Nowhere/Town": unknown time zone Nowhere/Town'],
  ],
  [
    'a cron job of an empty zone',
    cronJobs,
    cronJob({ timeZone: '' }),
    ['spec.timeZone', 'Invalid value: "": timeZone must be nil or non-empty string'],
  ],
  [
    'a cron job of a wrong concurrency',
    cronJobs,
    cronJob({ concurrencyPolicy: 'Wrong' }),
    ['spec.concurrencyPolicy', 'Unsupported value: "Wrong": supported values: "Allow", "Forbid", "Replace"'],
  ],
  [
    'a cron job of a negative starting deadline',
    cronJobs,
    cronJob({ startingDeadlineSeconds: -1 }),
    ['spec.startingDeadlineSeconds', 'Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a cron job with a job of a wrong number',
    cronJobs,
    cronJob({}, { parallelism: -1 }),
    ['spec.jobTemplate.spec.parallelism', 'Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a budget of a percentage above all',
    budgets,
    spec({ selector: {}, minAvailable: '101%' }),
    ['spec.minAvailable', 'Invalid value: "101%": must not be greater than 100%'],
  ],
  [
    'a budget with a wrong selector',
    budgets,
    spec({ selector: { matchLabels: { 'a b': 'c' } }, minAvailable: 1 }),
    [
      'spec.selector.matchLabels',
      "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    'a budget of a wrong eviction policy',
    budgets,
    spec({ selector: {}, minAvailable: 1, unhealthyPodEvictionPolicy: 'Wrong' }),
    [
      'spec.unhealthyPodEvictionPolicy',
      'Unsupported value: "Wrong": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ],
  ],
  [
    'an autoscaler of no replicas',
    scalers,
    scaler({ maxReplicas: 0 }),
    ['spec.maxReplicas', 'Required value: must be set and greater than 0'],
    ['spec.maxReplicas', 'Invalid value: 0: must be greater than or equal to `minReplicas`'],
  ],
  [
    'an autoscaler of none at least',
    scalers,
    scaler({ minReplicas: 0 }),
    ['spec.minReplicas', 'Invalid value: 0: must be greater than or equal to 1'],
    [
      'spec.metrics',
      'Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ],
  ],
  [
    'an autoscaler of a resource without a target',
    scalers,
    scaler({ metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }] }),
    [
      'spec.metrics[0].resource.target.averageUtilization',
      'Required value: must set either a target raw value or a target utilization',
    ],
  ],
  [
    'an autoscaler of two targets',
    scalers,
    scaler({
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50, averageValue: '1' } },
        },
      ],
    }),
    [
      'spec.metrics[0].resource.target.averageValue',
      'Forbidden: may not set both a target raw value and a target utilization',
    ],
  ],
  [
    'an autoscaler of a wrong metric',
    scalers,
    scaler({ metrics: [{ type: 'Wrong' }] }),
    [
      'spec.metrics[0].type',
      'Unsupported value: "Wrong": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
    ],
    [
      'spec.metrics[0].type',
      'Unsupported value: "Wrong": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
    ],
  ],
  [
    'an autoscaler of an external metric without a name',
    scalers,
    scaler({
      metrics: [{ type: 'External', external: { metric: { name: '' }, target: { type: 'Value', value: '1' } } }],
    }),
    ['spec.metrics[0].external.metric.name', 'Required value: must specify a metric name'],
  ],
  [
    'an autoscaler with a window above an hour',
    scalers,
    scaler({ behavior: { scaleDown: { stabilizationWindowSeconds: 3601 } } }),
    ['spec.behavior.scaleDown.stabilizationWindowSeconds', 'Invalid value: 3601: must be less than or equal to 3600'],
  ],
  [
    'an autoscaler with a policy of no period',
    scalers,
    scaler({ behavior: { scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 0 }] } } }),
    ['spec.behavior.scaleUp.policies[0].periodSeconds', 'Invalid value: 0: must be greater than zero'],
  ],
  [
    'an autoscaler with a wrong policy',
    scalers,
    scaler({
      behavior: { scaleUp: { selectPolicy: 'Wrong', policies: [{ type: 'Wrong', value: 0, periodSeconds: 1 }] } },
    }),
    ['spec.behavior.scaleUp.selectPolicy', 'Unsupported value: "Wrong": supported values: "Disabled", "Max", "Min"'],
    ['spec.behavior.scaleUp.policies[0].type', 'Unsupported value: "Wrong": supported values: "Percent", "Pods"'],
    ['spec.behavior.scaleUp.policies[0].value', 'Invalid value: 0: must be greater than zero'],
  ],
  [
    'a quota of a negative amount',
    quotas,
    spec({ hard: { pods: '-1' } }),
    ['spec.hard[pods]', 'Invalid value: "-1": must be greater than or equal to 0'],
  ],
  [
    'a quota of a part of a pod',
    quotas,
    spec({ hard: { pods: '1.5' } }),
    ['spec.hard[pods]', 'Invalid value: "1500m": must be an integer'],
  ],
  [
    'a quota of a wrong scope',
    quotas,
    spec({ hard: { pods: '1' }, scopes: ['Wrong'] }),
    ['spec.scopes', 'Invalid value: ["Wrong"]: unsupported scope'],
  ],
  [
    'a quota of two scopes that exclude each other',
    quotas,
    spec({ hard: { pods: '1' }, scopes: ['BestEffort', 'NotBestEffort'] }),
    ['spec.scopes', 'Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'],
  ],
  [
    'a quota of a resource that its scope does not have',
    quotas,
    spec({ hard: { services: '1' }, scopes: ['BestEffort'] }),
    ['spec.scopes', 'Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
  ],
  [
    'a quota with a scope of a wrong operator',
    quotas,
    spec({
      hard: { pods: '1' },
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Is' }] },
    }),
    ['spec.scopeSelector.matchExpressions.operator', 'Invalid value: "Is": not a valid selector operator'],
  ],
  [
    'a limit with a default above its maximum',
    limitRanges,
    limits({ type: 'Container', max: { cpu: '1' }, default: { cpu: '2' } }),
    ['spec.limits[0].defaultRequest[cpu]', 'Invalid value: "2": default request value 2 is greater than max value 1'],
    ['spec.limits[0].default[cpu]', 'Invalid value: "1": default value 2 is greater than max value 1'],
  ],
  [
    'a limit of pods with a default',
    limitRanges,
    limits({ type: 'Pod', default: { cpu: '1' } }),
    ['spec.limits[0].default', "Forbidden: may not be specified when `type` is 'Pod'"],
  ],
  [
    'a limit of a ratio below one',
    limitRanges,
    limits({ type: 'Container', maxLimitRequestRatio: { cpu: '500m' } }),
    ['spec.limits[0].maxLimitRequestRatio[cpu]', 'Invalid value: "500m": ratio 500m is less than 1'],
  ],
  [
    'a limit of claims without bounds',
    limitRanges,
    limits({ type: 'PersistentVolumeClaim' }),
    [
      'spec.limits[0].limits',
      'Required value: either minimum or maximum storage value is required, but neither was provided',
    ],
  ],
  [
    'two limits of one type',
    limitRanges,
    {
      spec: {
        limits: [
          { type: 'Pod', max: { cpu: '1' } },
          { type: 'Pod', max: { cpu: '1' } },
        ],
      },
    },
    ['spec.limits[1].type', 'Duplicate value: "Pod"'],
  ],
  [
    'a limit of an unknown resource',
    limitRanges,
    limits({ type: 'Container', max: { disk: '1' } }),
    ['spec.limits[0].max[disk]', 'Invalid value: "disk": must be a standard resource type or fully qualified'],
    ['spec.limits[0].max[disk]', 'Invalid value: "disk": must be a standard resource for containers'],
    ['spec.limits[0].default[disk]', 'Invalid value: "disk": must be a standard resource type or fully qualified'],
    ['spec.limits[0].default[disk]', 'Invalid value: "disk": must be a standard resource for containers'],
    [
      'spec.limits[0].defaultRequest[disk]',
      'Invalid value: "disk": must be a standard resource type or fully qualified',
    ],
    ['spec.limits[0].defaultRequest[disk]', 'Invalid value: "disk": must be a standard resource for containers'],
  ],
  [
    'a priority class of a wrong preemption policy',
    priorityClasses,
    { value: 1, preemptionPolicy: 'Wrong' },
    ['preemptionPolicy', 'Unsupported value: "Wrong": supported values: "PreemptLowerPriority", "Never"'],
  ],
  [
    'a node with two taints alike',
    nodes,
    spec({
      taints: [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoSchedule' },
      ],
    }),
    [
      'metadata.taints[1]',
      'Duplicate value: {"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
    ],
  ],
  [
    'a node with a taint of a wrong key',
    nodes,
    spec({ taints: [{ key: 'a b', effect: 'NoSchedule' }] }),
    [
      'metadata.taints[0].key',
      "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    'a node with two ranges of one family',
    nodes,
    spec({ podCIDRs: ['10.1.0.0/24', '10.2.0.0/24'] }),
    [
      'spec.podCIDRs',
      'Invalid value: ["10.1.0.0/24","10.2.0.0/24"]: may specify no more than one CIDR for each IP family',
    ],
  ],
  [
    'a node with a taint without an effect',
    nodes,
    spec({ taints: [{ key: 'a', effect: '' }] }),
    ['metadata.taints[0].effect', 'Required value'],
  ],
  [
    'a job of too many indexes',
    jobs,
    job({ completionMode: 'Indexed', completions: 100001, parallelism: 100001 }),
    ['spec.parallelism', 'Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed'],
  ],
  [
    'a job of too many failures of an index',
    jobs,
    job({ completionMode: 'Indexed', completions: 2, maxFailedIndexes: 3 }),
    ['spec.backoffLimitPerIndex', 'Required value: when maxFailedIndexes is specified'],
    ['spec.maxFailedIndexes', 'Invalid value: 3: must be less than or equal to completions'],
  ],
  [
    'a job with a success policy of wrong indexes',
    jobs,
    job({ completionMode: 'Indexed', completions: 2, successPolicy: { rules: [{ succeededIndexes: '1,0' }] } }),
    [
      'spec.successPolicy.rules[0].succeededIndexes',
      'Invalid value: "1,0": error parsing succeededIndexes: non-increasing order, previous: 1, current: 0',
    ],
  ],
  [
    'a job with an empty success rule',
    jobs,
    job({ completionMode: 'Indexed', completions: 2, successPolicy: { rules: [{}] } }),
    [
      'spec.successPolicy.rules[0]',
      'Required value: at least one of succeededCount or succeededIndexes must be specified',
    ],
  ],
  [
    'a job with a failure rule of zero',
    jobs,
    job({
      podFailurePolicy: {
        rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [0], containerName: 'none' } }],
      },
    }),
    [
      'spec.podFailurePolicy.rules[0].onExitCodes.containerName',
      'Invalid value: "none": must be one of the container or initContainer names in the pod template',
    ],
    ['spec.podFailurePolicy.rules[0].onExitCodes.values[0]', 'Invalid value: 0: must not be 0 for the In operator'],
  ],
  [
    'a job with a failure rule of both kinds',
    jobs,
    job({
      podFailurePolicy: {
        rules: [
          {
            action: 'Ignore',
            onExitCodes: { operator: 'In', values: [1] },
            onPodConditions: [{ type: 'a', status: 'True' }],
          },
        ],
      },
    }),
    [
      'spec.podFailurePolicy.rules[0]',
      'Invalid value: specifying both OnExitCodes and OnPodConditions is not supported',
    ],
  ],
  [
    'a job with a failure rule of a wrong condition',
    jobs,
    job({ podFailurePolicy: { rules: [{ action: 'Count', onPodConditions: [{ type: 'a b', status: 'Wrong' }] }] } }),
    [
      'spec.podFailurePolicy.rules[0].onPodConditions[0].type',
      "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      'spec.podFailurePolicy.rules[0].onPodConditions[0].status',
      'Unsupported value: "Wrong": supported values: "False", "True", "Unknown"',
    ],
  ],
  [
    'a job with a failure rule of exit codes in disorder',
    jobs,
    job({ podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'Is', values: [2, 1, 1] } }] } }),
    ['spec.podFailurePolicy.rules[0].onExitCodes.operator', 'Unsupported value: "Is": supported values: "In", "NotIn"'],
    ['spec.podFailurePolicy.rules[0].onExitCodes.values[2]', 'Duplicate value: 1'],
    ['spec.podFailurePolicy.rules[0].onExitCodes.values', 'Invalid value: [2,1,1]: must be ordered'],
  ],
  [
    'an autoscaler of pods without a metric',
    scalers,
    scaler({ metrics: [{ type: 'Pods', pods: { metric: { name: 'a' }, target: { type: 'AverageValue' } } }] }),
    ['spec.metrics[0].pods.target.averageValue', 'Required value: must specify a positive target averageValue'],
  ],
  [
    'an autoscaler of an object without a target',
    scalers,
    scaler({
      metrics: [
        {
          type: 'Object',
          object: { metric: { name: 'a' }, describedObject: { kind: '', name: '' }, target: { type: 'Value' } },
        },
      ],
    }),
    ['spec.metrics[0].object.describedObject.kind', 'Required value'],
    ['spec.metrics[0].object.describedObject.name', 'Required value'],
    ['spec.metrics[0].object.target.averageValue', 'Required value: must set either a target value or averageValue'],
  ],
  [
    'an autoscaler of a container without a name',
    scalers,
    scaler({
      metrics: [
        {
          type: 'ContainerResource',
          containerResource: { name: 'cpu', container: '', target: { type: 'Utilization', averageUtilization: 0 } },
        },
      ],
    }),
    ['spec.metrics[0].containerResource.container', 'Required value: must specify a container'],
    ['spec.metrics[0].containerResource.target.averageUtilization', 'Invalid value: 0: must be greater than 0'],
  ],
  [
    'an autoscaler of a negative tolerance',
    scalers,
    scaler({ behavior: { scaleDown: { tolerance: '-1' } } }),
    ['spec.behavior.scaleDown.tolerance', 'Invalid value: "-1": must be greater than or equal to 0'],
  ],
  [
    'a quota of a wrong name of a resource',
    quotas,
    spec({ hard: { 'a/b/c': '1' } }),
    [
      'spec.hard[a/b/c]',
      "Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ],
  ],
  [
    'a quota with a scope that has no values',
    quotas,
    spec({
      hard: { pods: '1' },
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] },
    }),
    [
      'spec.scopeSelector.matchExpressions.values',
      "Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ],
  [
    'a quota with a scope that must exist',
    quotas,
    spec({
      hard: { pods: '1' },
      scopeSelector: { matchExpressions: [{ scopeName: 'Terminating', operator: 'In', values: ['a'] }] },
    }),
    [
      'spec.scopeSelector.matchExpressions.operator',
      'Invalid value: "In": must be \'Exists\' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity',
    ],
  ],
  [
    'a limit with a default request above its default',
    limitRanges,
    limits({ type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '2' } }),
    [
      'spec.limits[0].defaultRequest[cpu]',
      'Invalid value: "2": default request value 2 is greater than default limit value 1',
    ],
  ],
  [
    'a limit with a ratio above what its bounds allow',
    limitRanges,
    limits({ type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }),
    ['spec.limits[0].maxLimitRequestRatio[cpu]', 'Invalid value: "3": ratio 3 is greater than max/min = 2.000000'],
  ],
  [
    'a limit with a minimum above the default',
    limitRanges,
    limits({
      type: 'Container',
      min: { memory: '2Gi' },
      default: { memory: '1Gi' },
      defaultRequest: { memory: '1Gi' },
    }),
    [
      'spec.limits[0].defaultRequest[memory]',
      'Invalid value: "1Gi": min value 2Gi is greater than default request value 1Gi',
    ],
    ['spec.limits[0].default[memory]', 'Invalid value: "2Gi": min value 2Gi is greater than default value 1Gi'],
  ],
  [
    'a limit of a wrong type',
    limitRanges,
    limits({ type: 'a b', max: { cpu: '1' } }),
    [
      'spec.limits[0].type',
      "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    'a node with a wrong range',
    nodes,
    spec({ podCIDRs: ['x'], podCIDR: 'x' }),
    ['spec.podCIDRs[0]', 'Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ],
  [
    'a node with negative capacity',
    nodes,
    { status: { capacity: { cpu: '-1' } } },
    ['status.capacity.cpu', 'Invalid value: "-1": must be greater than or equal to 0'],
    ['status.allocatable.cpu', 'Invalid value: "-1": must be greater than or equal to 0'],
  ],
];

/** Merge patches of fields that keep their values. */
const changes: readonly RefusedChange[] = [
  [
    'the selector of a replica set',
    replicaSets,
    selected({}),
    spec({ selector: { matchLabels: { app: 'y' } }, template: { metadata: { labels: { app: 'y' } } } }),
    'spec.selector',
    'Invalid value: {"matchLabels":{"app":"y"}}: field is immutable',
  ],
  [
    'the service of a stateful set',
    statefulSets,
    selected({}),
    spec({ serviceName: 'other' }),
    'spec',
    "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  ],
  [
    'the selector of a daemon set',
    daemonSets,
    selected({}),
    spec({ selector: { matchLabels: { app: 'y' } }, template: { metadata: { labels: { app: 'y' } } } }),
    'spec.selector',
    'Invalid value: {"matchLabels":{"app":"y"}}: field is immutable',
  ],
  [
    'the number of completions of a job',
    jobs,
    job({ completions: 1 }),
    spec({ completions: 2 }),
    'spec.completions',
    'Invalid value: 2: field is immutable',
  ],
  [
    'the completion mode of a job',
    jobs,
    job({ completions: 1 }),
    spec({ completionMode: 'Indexed' }),
    'spec.completionMode',
    'Invalid value: "Indexed": field is immutable',
  ],
  [
    'the limit for each index of a job',
    jobs,
    job({ completions: 1, completionMode: 'Indexed', backoffLimitPerIndex: 1 }),
    spec({ backoffLimitPerIndex: 2 }),
    'spec.backoffLimitPerIndex',
    'Invalid value: 2: field is immutable',
  ],
  [
    'the scopes of a quota',
    quotas,
    spec({ hard: { pods: '1' }, scopes: ['BestEffort'] }),
    spec({ scopes: ['NotBestEffort'] }),
    'spec.scopes',
    'Invalid value: ["NotBestEffort"]: field is immutable',
  ],
  [
    'the value of a priority class',
    priorityClasses,
    { value: 1 },
    { value: 2 },
    'value',
    'Forbidden: may not be changed in an update.',
  ],
  [
    'the preemption policy of a priority class',
    priorityClasses,
    { value: 1 },
    { preemptionPolicy: 'Never' },
    'preemptionPolicy',
    'Invalid value: "Never": field is immutable',
  ],
  [
    'the address range of a node',
    nodes,
    spec({ podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] }),
    spec({ podCIDR: '10.2.0.0/24', podCIDRs: ['10.2.0.0/24'] }),
    'spec.podCIDRs',
    'Forbidden: node updates may not change podCIDR except from "" to valid',
  ],
  [
    'the provider of a node',
    nodes,
    spec({ providerID: 'a' }),
    spec({ providerID: 'b' }),
    'spec.providerID',
    'Forbidden: node updates may not change providerID except from "" to valid',
  ],
];

export const area: Area = defineArea('rules of workloads', (rule) => {
  refusals(rule, rows);
  refusedChanges(rule, changes);
});
