import type { Node, Pod, PodCondition, PodStatus } from '../../../../resources/types/core-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { isFinished, isTerminating } from '../pod-facts.js';
import { keyOfObject, type WorkloadController, type World } from '../world.js';
import type { Failures } from './failures.js';
import { type ContainerNews, PodRun } from './pod-run.js';

const KUBELET = 'kubelet';
/** The exit code of a container that ended by SIGTERM. */
const TERMINATED = 143;
/** 10.244.0.0/16 has this many addresses; the first ones are those of nodes. */
const ADDRESSES = 65_000;

/** Runs the pods of all nodes. */
export interface Kubelets {
  /** Ends running containers of a pod; returns how many. */
  crash(namespace: string, name: string, container: string | undefined, exitCode: number): number;
  /** Stops or starts the kubelet of a node. */
  setRunning(node: string, isRunning: boolean): void;
  isRunning(node: string): boolean;
}

/** Pretends to run the containers of pods that are bound to nodes, and writes their status as kubelets do. */
export function addKubelets(world: World, failures: Failures): Kubelets {
  const { pods, nodes } = world.views;
  /** By uid. */
  const runs = new Map<string, PodRun>();
  const addresses = new Map<string, string>();
  const usedAddresses = new Set<string>();
  const stopped = new Set<string>();
  let lastAddress = 0;

  const controller: WorkloadController = {
    name: KUBELET,
    *reconcile(key): Steps<void> {
      const pod = pods.get(key);
      const node = nodes.get(pod?.spec?.nodeName ?? '');
      if (pod === undefined || node === undefined || stopped.has(node.metadata.name)) return;
      if (isTerminating(pod)) yield* terminate(key, pod, node);
      else if (!isFinished(pod)) yield* run(key, pod, node);
    },
  };
  world.add(controller);
  world.on('pods', (revision) => {
    if (revision.type === 'DELETED') forget(revision.uid);
    else if (revision.fields['spec.nodeName']) world.enqueue(controller, revision.key);
  });
  world.on('nodes', (revision) => {
    if (revision.type === 'ADDED') enqueueAll(revision.name);
  });

  function enqueueAll(node: string): void {
    for (const pod of pods.list()) if (pod.spec?.nodeName === node) world.enqueue(controller, keyOfObject(pod));
  }

  function forget(uid: string): void {
    runs.delete(uid);
    const address = addresses.get(uid);
    if (address !== undefined) usedAddresses.delete(address);
    addresses.delete(uid);
  }

  function* run(key: string, pod: Pod, node: Node): Steps<void> {
    const now = world.clock.now();
    const behaviour = failures.behaviourOf(pod);
    const { uid } = pod.metadata;
    let state = runs.get(uid);
    if (state === undefined) runs.set(uid, (state = new PodRun(pod, now, behaviour)));
    const news = state.advance(now, behaviour);
    yield* world.writeStatus(pods, pod, statusOf(pod, node, state, now), KUBELET);
    for (const one of news) yield* tell(pod, node, one);
    const due = state.dueAt(now);
    if (due !== Number.POSITIVE_INFINITY) world.enqueue(controller, key, Math.max(1, due - now));
  }

  function* tell(pod: Pod, node: Node, { container, isInit, type, reason, message }: ContainerNews): Steps<void> {
    const host = node.metadata.name;
    const fieldPath = `spec.${isInit ? 'initContainers' : 'containers'}{${container.name}}`;
    yield* world.record({ about: pod, ...(type && { type }), reason, message, component: KUBELET, host, fieldPath });
  }

  /** Ends the containers of a deleted pod, then removes the pod. */
  function* terminate(key: string, pod: Pod, node: Node): Steps<void> {
    const { uid, deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
    const now = world.clock.now();
    const behaviour = failures.behaviourOf(pod);
    let state = runs.get(uid);
    if (state === undefined) runs.set(uid, (state = new PodRun(pod, now, behaviour)));
    // Only its finalizers hold the pod.
    if (deletionGracePeriodSeconds === 0) return;
    if (state.stoppingSince === undefined) {
      state.stoppingSince = now;
      for (const container of state.running) {
        const message = `Stopping container ${container.name}`;
        yield* tell(pod, node, { container, isInit: false, reason: 'Killing', message });
      }
    }
    const end = Math.min(state.stoppingSince + failures.stopMs(pod), Date.parse(deletionTimestamp!));
    if (end > now && state.running.length > 0) {
      world.enqueue(controller, key, end - now);
      return;
    }
    // Controllers that hold the pod by a finalizer read from its status how it ended.
    if ((pod.metadata.finalizers ?? []).length > 0 && !isFinished(pod)) {
      state.kill(now, TERMINATED);
      yield* world.writeStatus(pods, pod, statusOf(pod, node, state, now), KUBELET);
    }
    yield* world.remove(pods, pod, { gracePeriodSeconds: 0 });
  }

  function statusOf(pod: Pod, node: Node, state: PodRun, now: number): PodStatus {
    const { status = {} } = pod;
    const { init, main } = state.statuses(pod, now, failures.behaviourOf(pod));
    const hostIP = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '192.168.0.1';
    const podIP = state.hasSandbox ? (status.podIP ?? addressOf(pod, hostIP)) : status.podIP;
    const { phase } = state;
    const kept = { ...status };
    for (const field of ['conditions', 'containerStatuses', 'initContainerStatuses', 'phase'] as const) delete kept[field];
    return {
      ...kept,
      observedGeneration: pod.metadata.generation,
      phase,
      conditions: conditionsOf(pod, state, main),
      hostIP,
      hostIPs: [{ ip: hostIP }],
      ...(podIP !== undefined && { podIP, podIPs: [{ ip: podIP }] }),
      startTime: status.startTime ?? world.timestamp(),
      ...(init.length > 0 && { initContainerStatuses: init }),
      containerStatuses: main,
    };
  }

  function addressOf(pod: Pod, hostIP: string): string {
    if (pod.spec?.hostNetwork === true) return hostIP;
    let address = addresses.get(pod.metadata.uid);
    while (address === undefined) {
      lastAddress = (lastAddress + 1) % ADDRESSES;
      const free = `10.244.${lastAddress >> 8}.${lastAddress & 255}`;
      if (!usedAddresses.has(free)) address = free;
    }
    usedAddresses.add(address);
    addresses.set(pod.metadata.uid, address);
    return address;
  }

  function conditionsOf(pod: Pod, state: PodRun, main: NonNullable<PodStatus['containerStatuses']>): PodCondition[] {
    const known = pod.status?.conditions ?? [];
    const unready = main.filter(({ ready }) => !ready).map(({ name }) => name);
    const isOver = state.phase === 'Succeeded' || state.phase === 'Failed';
    const areReady = unready.length === 0 && !isOver;
    const gates = (pod.spec?.readinessGates ?? []).filter(
      ({ conditionType }) => known.find(({ type }) => type === conditionType)?.status !== 'True',
    );
    const why = isOver
      ? { reason: state.phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' }
      : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
    const gated = {
      reason: 'ReadinessGatesNotReady',
      message: gates.map(({ conditionType }) => `the status of pod readiness gate "${conditionType}" is not "True"`).join(', '),
    };
    const uninitialized = {
      reason: 'ContainersNotInitialized',
      message: `containers with incomplete status: [${(pod.spec?.initContainers ?? []).map(({ name }) => name).join(' ')}]`,
    };
    const own: [type: string, isTrue: boolean, why: { reason?: string; message?: string }][] = [
      ['PodReadyToStartContainers', state.hasSandbox && !isOver, {}],
      ['Initialized', state.isInitialized, state.phase === 'Succeeded' ? { reason: 'PodCompleted' } : uninitialized],
      ['Ready', areReady && gates.length === 0, areReady ? gated : why],
      ['ContainersReady', areReady, why],
      ['PodScheduled', true, {}],
    ];
    const conditions = own.map(([type, isTrue, reason]): PodCondition => {
      const old = known.find((one) => one.type === type);
      const status = isTrue ? 'True' : 'False';
      return {
        type,
        observedGeneration: pod.metadata.generation,
        status,
        lastProbeTime: null as unknown as undefined,
        lastTransitionTime: old?.status === status ? old.lastTransitionTime : world.timestamp(),
        ...(!isTrue && reason),
      };
    });
    return [...conditions, ...known.filter(({ type }) => !own.some(([mine]) => mine === type))];
  }

  return {
    crash(namespace, name, container, exitCode) {
      const pod = pods.find(namespace, name);
      const count = runs.get(pod?.metadata.uid ?? '')?.crash(world.clock.now(), container, exitCode) ?? 0;
      if (count > 0) world.enqueue(controller, `${namespace}/${name}`);
      return count;
    },
    setRunning(node, isRunning) {
      if (!isRunning) stopped.add(node);
      else if (stopped.delete(node)) enqueueAll(node);
    },
    isRunning: (node) => !stopped.has(node),
  };
}
