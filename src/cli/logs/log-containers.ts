import type { DeepReadonly } from '../../meta/objects.js';
import type { ContainerStatus, Pod } from '../../resources/types/core-v1.js';

/** Which containers of each pod are read. */
export interface ContainerChoice {
  /** @default the default container of each pod, unless `all` is set */
  readonly container: string | undefined;
  readonly all: boolean;
}

const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';

/** The names of all containers of a pod: its own first, then those of its initialization and debugging. */
export function containerNames({ spec }: DeepReadonly<Pod>): readonly string[] {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  return [...containers, ...initContainers, ...ephemeralContainers].map(({ name }) => name);
}

/** The containers of a pod that are read; empty if it has none of that name. */
export function chosenContainers(pod: DeepReadonly<Pod>, { container, all }: ContainerChoice): readonly string[] {
  const names = containerNames(pod);
  if (all) return names;
  const preset = pod.metadata.annotations?.[DEFAULT_CONTAINER];
  const wanted = container ?? (preset !== undefined && names.includes(preset) ? preset : names[0]);
  return names.filter((name) => name === wanted);
}

/** Whether a container has a log: it runs, or has run before. */
export function hasStarted({ status }: DeepReadonly<Pod>, container: string): boolean {
  const statuses: readonly DeepReadonly<ContainerStatus>[] = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  const { state, lastState } = statuses.find(({ name }) => name === container) ?? {};
  return (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined;
}
