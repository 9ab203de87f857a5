import { checkOptions, type OptionNames } from '../../../meta/options/known-options.js';
import { optionError, requireInteger, requireNumber, requireString } from '../../../meta/options/validate.js';
import type { Taint } from '../../../resources/types/core-v1.js';

/** A node of the simulated cluster. */
export interface FakeNode {
  readonly name: string;
  /** Besides those that a kubelet sets: hostname, os, arch. @default {} */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** @default [] */
  readonly taints?: readonly Taint[] | undefined;
  /** What its pods may request. @default { cpu: '32', memory: '128Gi', pods: '1000' } */
  readonly capacity?: Readonly<Record<string, string>> | undefined;
}

/** Which containers fail. A field that is absent selects all. */
interface FailingPods {
  readonly namespace?: string | undefined;
  /** Labels of the pod. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** The name of the container. */
  readonly container?: string | undefined;
  /** The name of the node. */
  readonly node?: string | undefined;
  /** How likely a container is affected each time it starts, from 0 to 1. @default 1 */
  readonly probability?: number | undefined;
}

/**
 * A way in which pods fail:
 * `crash`, containers end with an exit code; `imagePull`, images cannot be pulled; `readiness`, containers run and are never
 * ready; `termination`, containers ignore the signal to end and use up their grace period.
 */
export type PodFailure = FailingPods &
  (
    | {
        readonly fails: 'crash';
        /** How long the container runs before. @default 0 */
        readonly afterMs?: number | undefined;
        /** @default 1 */
        readonly exitCode?: number | undefined;
        /** Only this many starts of each container fail; later ones succeed. @default all */
        readonly starts?: number | undefined;
      }
    | { readonly fails: 'imagePull' | 'readiness' | 'termination' }
  );

/** The simulated cluster of `startApiServer({ workloads })`. Its random numbers are those of the server's `seed`. */
export interface WorkloadOptions {
  /** The nodes, or how many there are: `node-1`, `node-2` and so on. Nodes that are created later work as well. @default 3 */
  readonly nodes?: number | readonly FakeNode[] | undefined;
  /** From the binding of a pod to a node until its containers run and are ready. @default 1000 */
  readonly readyAfterMs?: number | undefined;
  /** How long the containers of pods run whose restartPolicy is not `Always`, as those of Jobs. @default 1000 */
  readonly finishAfterMs?: number | undefined;
  /** From the deletion of a pod until its containers have ended, at most its grace period. @default 0 */
  readonly stopAfterMs?: number | undefined;
  /** How pods fail. The first one that selects a container counts. @default [] */
  readonly failures?: readonly PodFailure[] | undefined;
}

/** The options with their defaults. */
export interface Simulation {
  readonly nodes: readonly FakeNode[];
  readonly readyAfterMs: number;
  readonly finishAfterMs: number;
  readonly stopAfterMs: number;
  readonly failures: readonly PodFailure[];
}

const workloadNames: OptionNames<WorkloadOptions> = {
  nodes: true,
  readyAfterMs: true,
  finishAfterMs: true,
  stopAfterMs: true,
  failures: true,
};

const nodeNames: OptionNames<FakeNode> = { name: true, labels: true, taints: true, capacity: true };

const failureNames: OptionNames<PodFailure> = {
  fails: true,
  namespace: true,
  labels: true,
  container: true,
  node: true,
  probability: true,
  afterMs: true,
  exitCode: true,
  starts: true,
};

const DEFAULT_NODES = 3;

/** The simulation that the option asks for; undefined for none. Throws a TypeError for wrong options. */
export function simulationOf(option: boolean | WorkloadOptions | undefined): Simulation | undefined {
  if (option === undefined || option === false) return undefined;
  if (option !== true && (typeof option !== 'object' || option === null)) {
    throw optionError('workloads', 'a boolean or an object', option);
  }
  const given = checkOptions('workloads', option === true ? {} : option, workloadNames);
  const { failures = [] } = given;
  if (!Array.isArray(failures)) throw optionError('workloads.failures', 'an array', failures);
  return {
    nodes: nodesOf(given.nodes ?? DEFAULT_NODES),
    readyAfterMs: requireNumber('workloads.readyAfterMs', given.readyAfterMs ?? 1000),
    finishAfterMs: requireNumber('workloads.finishAfterMs', given.finishAfterMs ?? 1000),
    stopAfterMs: requireNumber('workloads.stopAfterMs', given.stopAfterMs ?? 0),
    failures: failures.map((failure, at) => checkFailure(`workloads.failures[${at}]`, failure as PodFailure)),
  };
}

function nodesOf(nodes: number | readonly FakeNode[]): readonly FakeNode[] {
  if (!Array.isArray(nodes)) {
    const count = requireInteger('workloads.nodes', nodes, 0, 10_000);
    return Array.from({ length: count }, (_, at) => ({ name: `node-${at + 1}` }));
  }
  for (const [at, node] of (nodes as readonly FakeNode[]).entries()) {
    checkOptions(`workloads.nodes[${at}]`, node, nodeNames);
    requireString(`workloads.nodes[${at}].name`, node.name);
  }
  return nodes;
}

/** Throws a TypeError if a failure is malformed. */
export function checkFailure(what: string, failure: PodFailure): PodFailure {
  checkOptions(what, failure, failureNames);
  const { fails, probability = 1 } = failure;
  if (!['crash', 'imagePull', 'readiness', 'termination'].includes(fails)) {
    throw optionError(`${what}.fails`, "'crash', 'imagePull', 'readiness' or 'termination'", fails);
  }
  requireNumber(`${what}.probability`, probability, 0, 1);
  if (fails !== 'crash') return failure;
  requireNumber(`${what}.afterMs`, failure.afterMs ?? 0);
  requireInteger(`${what}.exitCode`, failure.exitCode ?? 1, 0, 255);
  if (failure.starts !== undefined) requireInteger(`${what}.starts`, failure.starts, 1);
  return failure;
}
