import { checkOptions, type OptionNames } from '../../../meta/options/known-options.js';
import type { Undo } from '../../../meta/undo.js';
import { finish } from '../../../time/steps.js';
import type { ServerController, ServerControllerContext } from '../server-controller.js';
import { addCronJobs } from './jobs/cron-job.js';
import { addJobs } from './jobs/job.js';
import { addDrains } from './nodes/drain.js';
import { Failures } from './nodes/failures.js';
import { addFakeNodes } from './nodes/fake-nodes.js';
import { addKubelets } from './nodes/kubelet.js';
import { addPodGarbageCollector } from './nodes/pod-gc.js';
import { addScheduler } from './nodes/scheduler.js';
import { addTaintEviction } from './nodes/taint-eviction.js';
import type { PodFailure, Simulation, WorkloadControllerName } from './options.js';
import { addDisruptionBudgets } from './services/disruption.js';
import { addEndpoints } from './services/endpoints.js';
import { addDaemonSets } from './sets/daemon-set.js';
import { addDeployments } from './sets/deployment.js';
import { addReplicaSets } from './sets/replica-set.js';
import { addStatefulSets } from './sets/stateful-set.js';
import { World } from './world.js';

/** The simulated cluster of a server that was started with `workloads`. */
export interface Workloads {
  /** Makes containers fail from now on, before the failures of the options. The returned function ends it. */
  fail(failure: PodFailure): Undo;
  /** Ends the running containers of a pod, or one of them, with an exit code. Throws if none is running. */
  crash(namespace: string, pod: string, options?: CrashOptions): void;
  /**
   * Stops the kubelet of a node, as if the machine were down: nothing happens to its pods any more. The node becomes
   * unreachable after 50 seconds, and its pods are deleted when they no longer tolerate that.
   */
  stopNode(name: string): void;
  /** Starts the kubelet of a node again. */
  startNode(name: string): void;
  /**
   * Cordons a node and evicts its pods, except those of DaemonSets, as `kubectl drain` does. An eviction that a
   * PodDisruptionBudget forbids is tried again every five seconds, as long as the node is cordoned.
   */
  drainNode(name: string): void;
  /** @internal How soon something happens by itself, in ms, apart from heartbeats and schedules; Infinity if nothing does. */
  readonly nextDueInMs: number;
}

/** Options of {@link Workloads.crash}. */
export interface CrashOptions {
  /** @default all containers */
  readonly container?: string | undefined;
  /** @default 1 */
  readonly exitCode?: number | undefined;
}

const CONTROLLERS: Readonly<Record<WorkloadControllerName, (world: World) => void>> = {
  scheduler: addScheduler,
  'node-lifecycle': (world) => {
    addTaintEviction(world);
    addPodGarbageCollector(world);
  },
  replicaset: (world) => addReplicaSets(world, 'replicasets'),
  replicationcontroller: (world) => addReplicaSets(world, 'replicationcontrollers'),
  deployment: addDeployments,
  statefulset: addStatefulSets,
  daemonset: addDaemonSets,
  job: addJobs,
  cronjob: addCronJobs,
  endpoints: addEndpoints,
  disruption: addDisruptionBudgets,
};

const crashNames: OptionNames<CrashOptions> = { container: true, exitCode: true };

/** Starts the controllers of workloads, the scheduler and the kubelets. */
export function startWorkloads(context: ServerControllerContext, simulation: Simulation): Workloads & ServerController {
  const world = new World(context);
  const failures = new Failures(simulation, Math.floor(context.clock.random() * 0x1_0000_0000));
  const kubelets = addKubelets(world, failures);
  const nodes = addFakeNodes(world, simulation.nodes, kubelets, simulation.controllers.has('node-lifecycle'));
  const drains = addDrains(world);
  for (const [name, add] of Object.entries(CONTROLLERS)) {
    if (simulation.controllers.has(name as WorkloadControllerName)) add(world);
  }
  world.start();
  finish(nodes.register());

  return {
    fail: (failure) => failures.add(failure),
    crash(namespace, pod, options = {}) {
      const { container, exitCode = 1 } = checkOptions('workloads.crash', options, crashNames);
      if (kubelets.crash(namespace, pod, container, exitCode) > 0) return;
      const what = container === undefined ? 'no container' : `no container ${JSON.stringify(container)}`;
      throw new TypeError(`the pod ${namespace}/${pod} has ${what} that is running`);
    },
    stopNode: (name) => nodes.setRunning(name, false),
    startNode: (name) => nodes.setRunning(name, true),
    drainNode: (name) => drains.begin(name),
    get nextDueInMs() {
      return world.nextDueInMs;
    },
    stop: () => world.stop(),
  };
}
