import type { JsonObject } from '../../../../meta/json-values.js';
import type { Node, NodeCondition, NodeStatus, Pod, Taint } from '../../../../resources/types/core-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { microTimestamp } from '../../../../time/timestamps.js';
import type { FakeNode } from '../options.js';
import { isTerminating, podCondition } from '../pod-facts.js';
import type { WorkloadController, World } from '../world.js';
import type { Kubelets } from './kubelet.js';

const KUBELET = 'kubelet';
const LEASES = 'kube-node-lease';
const LEASE_SECONDS = 40;
const RENEW_MS = 10_000;
/** How long a kubelet may be silent, as in kube-controller-manager. */
const GRACE_MS = 50_000;
const DEFAULT_CAPACITY = { cpu: '32', memory: '128Gi', pods: '1000' };

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
const MANAGED_TAINTS: ReadonlySet<string> = new Set([NOT_READY, UNREACHABLE, UNSCHEDULABLE]);

/**
 * Keeps the Node objects: registers the nodes of the options, renews the Lease of each node, reports a node as unreachable
 * when its kubelet is stopped, and taints nodes by their state.
 */
export function addFakeNodes(world: World, wanted: readonly FakeNode[], kubelets: Kubelets): FakeNodes {
  const { nodes, leases, pods } = world.views;
  const capacities = new Map(wanted.map(({ name, capacity }) => [name, capacity]));
  const stoppedAt = new Map<string, number>();
  let lastAddress = 0;

  const controller: WorkloadController = {
    name: 'node-controller',
    *reconcile(name): Steps<void> {
      const node = nodes.get(name);
      if (node === undefined) return;
      if (!kubelets.isRunning(name)) yield* watchSilence(node);
      else yield* report(node);
      yield* taint(name);
    },
  };
  /** Not one with the other: a Lease is renewed whatever happens to its node. */
  const heartbeat: WorkloadController = {
    name: 'node-heartbeat',
    isPeriodic: true,
    *reconcile(name): Steps<void> {
      const node = nodes.get(name);
      if (node === undefined || !kubelets.isRunning(name)) return;
      yield* renew(node);
      world.enqueue(heartbeat, name, RENEW_MS);
    },
  };
  world.add(controller);
  world.add(heartbeat);
  world.on('nodes', ({ name, type }) => {
    world.enqueue(controller, name);
    if (type === 'ADDED') world.enqueue(heartbeat, name);
  });

  /** The status that a kubelet reports when it registers; an object that has conditions keeps them. */
  function* report(node: Node): Steps<void> {
    const { name } = node.metadata;
    const conditions = node.status?.conditions ?? [];
    const ready = conditions.find(({ type }) => type === 'Ready');
    if (ready !== undefined && ready.reason !== 'NodeStatusUnknown') return;
    const status: NodeStatus = {
      ...firstStatus(name),
      ...(ready === undefined ? node.status : { ...node.status, conditions: undefined }),
      conditions: [
        ...conditionsOf(conditions),
        ...conditions.filter(({ type }) => !CONDITIONS.some(([mine]) => mine === type)),
      ],
    };
    yield* world.writeStatus(nodes, node, status, KUBELET);
    const message = `Node ${name} status is now: NodeReady`;
    yield* world.record({ about: node, reason: 'NodeReady', message, component: KUBELET, host: name });
  }

  function firstStatus(name: string): NodeStatus {
    const capacity = { ...DEFAULT_CAPACITY, ...capacities.get(name) };
    lastAddress++;
    const address = `192.168.${lastAddress >> 8}.${lastAddress & 255}`;
    return {
      capacity,
      allocatable: { ...capacity },
      conditions: [],
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      nodeInfo: {
        machineID: name,
        systemUUID: name,
        bootID: name,
        kernelVersion: '6.1.0',
        osImage: 'kubeflect',
        containerRuntimeVersion: 'kubeflect://1.0.0',
        kubeletVersion: 'v1.36.0',
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    };
  }

  function conditionsOf(known: readonly NodeCondition[]): NodeCondition[] {
    const now = world.timestamp();
    return CONDITIONS.map(([type, status, reason, message]): NodeCondition => {
      const old = known.find((one) => one.type === type);
      const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
      return { type, status, lastHeartbeatTime: now, lastTransitionTime, reason, message };
    });
  }

  function* renew(node: Node): Steps<void> {
    const { name, uid } = node.metadata;
    const renewTime = microTimestamp(world.clock.now());
    const lease = leases.find(LEASES, name);
    if (lease !== undefined) {
      yield* world.update(
        leases,
        lease,
        (latest) => {
          latest.spec = { ...latest.spec, renewTime };
        },
        KUBELET,
      );
      return;
    }
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid }];
    const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
    yield* world.create(leases, LEASES, { metadata: { name, ownerReferences }, spec }, KUBELET);
  }

  /** Waits for the grace period of a silent kubelet, then reports its node as unreachable. */
  function* watchSilence(node: Node): Steps<void> {
    const { name } = node.metadata;
    const silentMs = world.clock.now() - (stoppedAt.get(name) ?? 0);
    if (silentMs < GRACE_MS) {
      world.enqueue(controller, name, GRACE_MS - silentMs);
      return;
    }
    const known = node.status?.conditions ?? [];
    if (known.some(({ type, status }) => type === 'Ready' && status === 'Unknown')) return;
    const now = world.timestamp();
    const conditions = known.map((one): NodeCondition => {
      if (!CONDITIONS.some(([type]) => type === one.type)) return one;
      const message = 'Kubelet stopped posting node status.';
      return { ...one, status: 'Unknown', lastTransitionTime: now, reason: 'NodeStatusUnknown', message };
    });
    yield* world.writeStatus(nodes, node, { ...node.status, conditions });
    const message = `Node ${name} status is now: NodeNotReady`;
    yield* world.record({ about: node, reason: 'NodeNotReady', message, component: 'node-controller' });
    for (const pod of pods.list()) if (pod.spec?.nodeName === name) yield* markUnready(pod);
  }

  function* markUnready(pod: Pod): Steps<void> {
    if (podCondition(pod, 'Ready')?.status !== 'True' || isTerminating(pod)) return;
    yield* world.updateStatus(pods, pod, (latest) => {
      const ready = podCondition(latest, 'Ready');
      if (ready !== undefined) Object.assign(ready, { status: 'False', lastTransitionTime: world.timestamp() });
    });
  }

  function* taint(name: string): Steps<void> {
    const node = nodes.get(name);
    if (node === undefined) return;
    const present = node.spec?.taints ?? [];
    const ready = node.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    const wantedTaints: Pick<Taint, 'key' | 'effect'>[] = [];
    if (node.spec?.unschedulable === true) wantedTaints.push({ key: UNSCHEDULABLE, effect: 'NoSchedule' });
    const trouble = ready === 'True' ? undefined : ready === 'Unknown' ? UNREACHABLE : NOT_READY;
    if (trouble !== undefined) {
      wantedTaints.push({ key: trouble, effect: 'NoSchedule' }, { key: trouble, effect: 'NoExecute' });
    }
    const taints = [
      ...present.filter(({ key }) => !MANAGED_TAINTS.has(key)),
      ...wantedTaints.map(({ key, effect }): Taint => {
        const known = present.find((one) => one.key === key && one.effect === effect);
        return known ?? { key, effect, timeAdded: world.timestamp() };
      }),
    ];
    if (taints.length === present.length && taints.every((one) => present.includes(one))) return;
    yield* world.update(nodes, node, (latest) => {
      const { taints: _old, ...spec } = latest.spec ?? {};
      latest.spec = taints.length === 0 ? spec : { ...spec, taints };
    });
  }

  return {
    *register(): Steps<void> {
      for (const fake of wanted) {
        if (nodes.get(fake.name) === undefined) yield* world.create(nodes, '', nodeOf(fake), KUBELET);
      }
    },
    setRunning(name, isRunning) {
      if (nodes.get(name) === undefined) throw new TypeError(`there is no node ${JSON.stringify(name)}`);
      if (isRunning) stoppedAt.delete(name);
      else stoppedAt.set(name, world.clock.now());
      kubelets.setRunning(name, isRunning);
      world.enqueue(controller, name);
      if (isRunning) world.enqueue(heartbeat, name);
    },
  };
}

/** The nodes of the simulation. */
export interface FakeNodes {
  /** Creates the nodes of the options that do not exist. */
  register(): Steps<void>;
  /** Stops or starts the kubelet of a node. */
  setRunning(name: string, isRunning: boolean): void;
}

/** The conditions that a kubelet reports. */
const CONDITIONS: readonly (readonly [type: string, status: 'True' | 'False', reason: string, message: string])[] = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
];

function nodeOf({ name, labels, taints }: FakeNode): JsonObject {
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...labels,
      },
    },
    spec: taints === undefined ? {} : { taints: structuredClone(taints) },
  };
}
