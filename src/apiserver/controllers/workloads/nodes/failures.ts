import { type Undo, undoOnce } from '../../../../meta/undo.js';
import type { Container, Pod } from '../../../../resources/types/core-v1.js';
import { checkFailure, type PodFailure, type Simulation } from '../options.js';
import type { Behaviour } from './pod-run.js';

/**
 * Decides which containers fail. A decision depends on the seed, the container and the number of its start only, so that it
 * is the same whenever it is asked for.
 */
export class Failures {
  readonly #simulation: Simulation;
  readonly #failures: PodFailure[];
  readonly #seed: number;

  constructor(simulation: Simulation, seed: number) {
    this.#simulation = simulation;
    this.#failures = [...simulation.failures];
    this.#seed = seed;
  }

  /** Adds a failure before all others. The returned function removes it. */
  add(failure: PodFailure): Undo {
    const added = { ...checkFailure('workloads.fail', failure) };
    this.#failures.unshift(added);
    return undoOnce(() => void this.#failures.splice(this.#failures.indexOf(added), 1));
  }

  /** How the containers of a pod behave. */
  behaviourOf(pod: Pod): Behaviour {
    const { readyAfterMs, finishAfterMs } = this.#simulation;
    return {
      readyAfterMs,
      finishAfterMs,
      canPull: (container) => this.#find('imagePull', pod, container, 0) === undefined,
      becomesReady: (container) => this.#find('readiness', pod, container, 0) === undefined,
      crashOf: (container, start) =>
        this.#find('crash', pod, container, start) as (PodFailure & { fails: 'crash' }) | undefined,
    };
  }

  /** How long the containers of a deleted pod take to end. */
  stopMs(pod: Pod): number {
    const isDeaf = (pod.spec?.containers ?? []).some(
      (container) => this.#find('termination', pod, container, 0) !== undefined,
    );
    return isDeaf ? Number.POSITIVE_INFINITY : this.#simulation.stopAfterMs;
  }

  #find(fails: PodFailure['fails'], pod: Pod, container: Container, start: number): PodFailure | undefined {
    return this.#failures.find((failure, at) => {
      if (failure.fails !== fails || !isSelected(failure, pod, container)) return false;
      if (failure.fails === 'crash' && failure.starts !== undefined && start >= failure.starts) return false;
      const { probability = 1 } = failure;
      return probability >= 1 || this.#chance(`${at} ${pod.metadata.uid} ${container.name} ${start}`) < probability;
    });
  }

  /** A number from 0 to 1 that depends on the seed and the text. */
  #chance(text: string): number {
    let hash = this.#seed ^ 0x811c9dc5;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
  }
}

function isSelected(failure: PodFailure, { metadata, spec }: Pod, container: Container): boolean {
  const { namespace, labels = {}, node } = failure;
  return (
    (namespace ?? metadata.namespace) === metadata.namespace &&
    (node ?? spec?.nodeName) === spec?.nodeName &&
    (failure.container ?? container.name) === container.name &&
    Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value)
  );
}
