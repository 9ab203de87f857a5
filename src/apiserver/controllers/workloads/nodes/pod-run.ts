import { timestamp as time } from '../../../../time/timestamps.js';
import type { Container, ContainerState, ContainerStatus, Pod } from '../../../../resources/types/core-v1.js';
import { isSidecar } from '../../../resources/kinds/pods/pod-resources.js';
import type { PodFailure } from '../options.js';

/** How containers of a pod behave, by the options of the simulation and its random numbers. */
export interface Behaviour {
  /** Whether the image can be pulled. */
  canPull(container: Container): boolean;
  /** The crash of a container that starts for the `start`th time, from 0. */
  crashOf(container: Container, start: number): (PodFailure & { fails: 'crash' }) | undefined;
  becomesReady(container: Container): boolean;
  readonly readyAfterMs: number;
  readonly finishAfterMs: number;
}

/** What a kubelet tells about a container. */
export interface ContainerNews {
  readonly container: Container;
  readonly isInit: boolean;
  readonly type?: 'Warning';
  readonly reason: string;
  readonly message: string;
}

interface Ended {
  readonly exitCode: number;
  readonly startedAt: number;
  readonly finishedAt: number;
}

type State =
  /** `until` is undefined while it waits for the containers before it. */
  | { readonly is: 'creating'; readonly until: number | undefined }
  | { readonly is: 'pullBackOff'; readonly until: number }
  | { readonly is: 'running'; readonly startedAt: number; readonly readyAt: number; readonly ends?: Planned }
  | { readonly is: 'crashBackOff'; readonly until: number; readonly delayMs: number }
  | { readonly is: 'ended' };

interface Planned {
  readonly at: number;
  readonly exitCode: number;
}

const FIRST_BACKOFF_MS = 10_000;
const LAST_BACKOFF_MS = 300_000;
/** A container that ran this long is restarted without a delay. */
const FORGIVEN_MS = 600_000;

/** One container from its creation to its end, with its restarts. */
class ContainerRun {
  readonly container: Container;
  readonly isInit: boolean;
  state: State = { is: 'creating', until: undefined };
  restarts = 0;
  last: Ended | undefined;
  /** Consecutive ends that count for the delay of the next restart. */
  #failures = 0;
  #pulls = 0;

  constructor(container: Container, isInit: boolean) {
    this.container = container;
    this.isInit = isInit;
  }

  /** Takes over the state that an object shows, after a restart of the server. */
  adopt(status: ContainerStatus | undefined, now: number): void {
    this.restarts = status?.restartCount ?? 0;
    const { running, terminated } = status?.state ?? {};
    const ended = terminated ?? status?.lastState?.terminated;
    if (ended !== undefined) {
      const { exitCode, startedAt, finishedAt } = ended;
      this.last = { exitCode, startedAt: Date.parse(startedAt ?? ''), finishedAt: Date.parse(finishedAt ?? '') };
    }
    if (terminated !== undefined) this.state = { is: 'ended' };
    else if (running !== undefined) {
      const startedAt = Date.parse(running.startedAt ?? '') || now;
      this.state = { is: 'running', startedAt, readyAt: startedAt };
    }
  }

  get isSidecar(): boolean {
    return this.isInit && isSidecar(this.container);
  }

  /** Whether the containers after it may start. */
  get isPassed(): boolean {
    return this.isSidecar ? this.state.is === 'running' : this.state.is === 'ended' && this.last?.exitCode === 0;
  }

  /** When the state changes next, on its own. */
  get dueAt(): number {
    switch (this.state.is) {
      case 'creating':
        return this.state.until ?? Number.POSITIVE_INFINITY;
      case 'running':
        return this.state.ends?.at ?? Number.POSITIVE_INFINITY;
      case 'ended':
        return Number.POSITIVE_INFINITY;
      default:
        return this.state.until;
    }
  }

  /** Makes the change that is due. */
  step(now: number, restartPolicy: string, behaviour: Behaviour, news: ContainerNews[]): void {
    const { state } = this;
    if (state.is === 'creating' || state.is === 'pullBackOff') {
      if (behaviour.canPull(this.container)) this.#start(now, restartPolicy, behaviour, news);
      else this.#failPull(now, news);
    } else if (state.is === 'crashBackOff') this.#restart(now, restartPolicy, behaviour, news);
    else if (state.is === 'running' && state.ends !== undefined) {
      this.#end(now, state.startedAt, state.ends.exitCode, restartPolicy, behaviour, news);
    }
  }

  #start(now: number, restartPolicy: string, behaviour: Behaviour, news: ContainerNews[]): void {
    const { container } = this;
    this.#tell(news, 'Pulled', `Container image "${container.image}" already present on machine`);
    this.#tell(news, 'Created', `Created container: ${container.name}`);
    this.#tell(news, 'Started', `Started container ${container.name}`);
    const crash = behaviour.crashOf(container, this.restarts);
    const finishes = !this.isSidecar && (this.isInit || restartPolicy !== 'Always');
    const finishAfterMs = this.isInit ? 0 : behaviour.finishAfterMs;
    const probeMs = (container.readinessProbe?.initialDelaySeconds ?? 0) * 1000;
    this.state = {
      is: 'running',
      startedAt: now,
      readyAt: now + probeMs,
      ...(crash !== undefined
        ? { ends: { at: now + (crash.afterMs ?? 0), exitCode: crash.exitCode ?? 1 } }
        : finishes && { ends: { at: now + finishAfterMs, exitCode: 0 } }),
    };
  }

  #restart(now: number, restartPolicy: string, behaviour: Behaviour, news: ContainerNews[]): void {
    this.restarts++;
    this.#start(now, restartPolicy, behaviour, news);
  }

  #end(
    now: number,
    startedAt: number,
    exitCode: number,
    restartPolicy: string,
    behaviour: Behaviour,
    news: ContainerNews[],
  ): void {
    this.last = { exitCode, startedAt, finishedAt: now };
    const policy = this.isSidecar ? 'Always' : this.isInit && restartPolicy === 'Always' ? 'OnFailure' : restartPolicy;
    if (policy === 'Never' || (policy === 'OnFailure' && exitCode === 0)) {
      this.state = { is: 'ended' };
      return;
    }
    if (now - startedAt >= FORGIVEN_MS) this.#failures = 0;
    if (this.#failures++ === 0) {
      this.#restart(now, restartPolicy, behaviour, news);
      return;
    }
    const delayMs = Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.#failures - 2));
    this.state = { is: 'crashBackOff', until: now + delayMs, delayMs };
    this.#tell(news, 'BackOff', `Back-off restarting failed container ${this.container.name}`, 'Warning');
  }

  #failPull(now: number, news: ContainerNews[]): void {
    const { image } = this.container;
    this.#tell(news, 'Failed', `Failed to pull image "${image}": not found`, 'Warning');
    this.#tell(news, 'Failed', 'Error: ImagePullBackOff', 'Warning');
    const delayMs = Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** this.#pulls++);
    this.state = { is: 'pullBackOff', until: now + delayMs };
  }

  #tell(news: ContainerNews[], reason: string, message: string, type?: 'Warning'): void {
    const { container, isInit } = this;
    news.push({ container, isInit, reason, message, ...(type !== undefined && { type }) });
  }

  /** Ends a running container with an exit code. */
  kill(now: number, exitCode: number): void {
    if (this.state.is === 'running') {
      this.last = { exitCode, startedAt: this.state.startedAt, finishedAt: now };
    } else if (this.state.is === 'ended') return;
    this.last ??= { exitCode, startedAt: now, finishedAt: now };
    this.state = { is: 'ended' };
  }

  /** Plans the end of a running container for now. */
  crash(now: number, exitCode: number): void {
    if (this.state.is === 'running') this.state = { ...this.state, ends: { at: now, exitCode } };
  }
}

/** The containers of one pod on its node: what happens to them, and when. */
export class PodRun {
  readonly #init: readonly ContainerRun[];
  readonly #main: readonly ContainerRun[];
  readonly #restartPolicy: string;
  /** When the containers began to end, because the pod was deleted. */
  stoppingSince: number | undefined;

  constructor(pod: Pod, now: number, behaviour: Behaviour) {
    const { spec, status } = pod;
    const statusOf = (name: string): ContainerStatus | undefined =>
      [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].find((one) => one.name === name);
    this.#init = (spec?.initContainers ?? []).map((container) => new ContainerRun(container, true));
    this.#main = (spec?.containers ?? []).map((container) => new ContainerRun(container, false));
    this.#restartPolicy = spec?.restartPolicy ?? 'Always';
    if (status?.startTime !== undefined) for (const run of this.#all) run.adopt(statusOf(run.container.name), now);
    const begins = now + (status?.podIP === undefined ? behaviour.readyAfterMs : 0);
    for (const run of this.#init.length > 0 ? this.#init.slice(0, 1) : this.#main) {
      if (run.state.is === 'creating') run.state = { is: 'creating', until: begins };
    }
  }

  get #all(): readonly ContainerRun[] {
    return [...this.#init, ...this.#main];
  }

  /** Makes all changes that are due and returns what there is to tell. */
  advance(now: number, behaviour: Behaviour): ContainerNews[] {
    const news: ContainerNews[] = [];
    for (let isMoving = true; isMoving; ) {
      isMoving = false;
      for (const run of this.#all) {
        if (run.dueAt > now) continue;
        run.step(now, this.#restartPolicy, behaviour, news);
        isMoving = true;
      }
      if (this.#release(now)) isMoving = true;
    }
    return news;
  }

  /** Lets containers start whose predecessors are done. Returns whether there was one. */
  #release(now: number): boolean {
    const waiting = this.#init.find((run) => !run.isPassed);
    const next = waiting === undefined ? this.#main : [waiting];
    let isReleased = false;
    for (const run of next) {
      if (run.state.is !== 'creating' || run.state.until !== undefined) continue;
      run.state = { is: 'creating', until: now };
      isReleased = true;
    }
    return isReleased;
  }

  /** When something happens next. */
  dueAt(now: number): number {
    let due = Number.POSITIVE_INFINITY;
    for (const { dueAt, state } of this.#all) {
      due = Math.min(due, dueAt);
      if (state.is === 'running' && state.readyAt > now) due = Math.min(due, state.readyAt);
    }
    return due;
  }

  /** Plans the end of running containers: all of them, or the one of a name. Returns how many. */
  crash(now: number, container: string | undefined, exitCode: number): number {
    const runs = this.#all.filter(
      ({ container: { name }, state }) => state.is === 'running' && (container === undefined || name === container),
    );
    for (const run of runs) run.crash(now, exitCode);
    return runs.length;
  }

  /** Ends all containers. */
  kill(now: number, exitCode: number): void {
    for (const run of this.#all) run.kill(now, exitCode);
  }

  get running(): readonly Container[] {
    return this.#all.filter(({ state }) => state.is === 'running').map(({ container }) => container);
  }

  get phase(): 'Pending' | 'Running' | 'Succeeded' | 'Failed' {
    const failedInit = this.#init.find(({ state, last }) => state.is === 'ended' && last?.exitCode !== 0);
    if (failedInit !== undefined) return 'Failed';
    if (this.#main.every(({ state }) => state.is === 'ended')) {
      return this.#main.every(({ last }) => last?.exitCode === 0) ? 'Succeeded' : 'Failed';
    }
    const hasStarted = this.#main.some(({ state, last }) => state.is === 'running' || last !== undefined);
    return hasStarted ? 'Running' : 'Pending';
  }

  get isInitialized(): boolean {
    return this.#init.every((run) => run.isPassed);
  }

  /** Whether the sandbox of the pod exists: some container has started. */
  get hasSandbox(): boolean {
    return this.#all.some(({ state, last }) => state.is === 'running' || last !== undefined);
  }

  statuses(pod: Pod, now: number, behaviour: Behaviour): { init: ContainerStatus[]; main: ContainerStatus[] } {
    const waitingReason = this.#init.length > 0 ? 'PodInitializing' : 'ContainerCreating';
    const print = (run: ContainerRun): ContainerStatus => printContainer(run, pod, now, behaviour, waitingReason);
    return { init: this.#init.map(print), main: this.#main.map(print) };
  }
}

function printContainer(
  run: ContainerRun,
  pod: Pod,
  now: number,
  behaviour: Behaviour,
  waitingReason: string,
): ContainerStatus {
  const { container, state, restarts, last } = run;
  const id = `kubeflect://${pod.metadata.uid}-${container.name}`;
  const isRunning = state.is === 'running';
  const isPassed = run.isInit && !run.isSidecar && run.isPassed;
  const ready = isPassed || (isRunning && state.readyAt <= now && behaviour.becomesReady(container));
  return {
    name: container.name,
    state: printState(run, pod, id, waitingReason),
    lastState: state.is !== 'ended' && last !== undefined ? { terminated: printEnd(last, `${id}-${restarts - 1}`) } : {},
    ready,
    restartCount: restarts,
    image: container.image ?? '',
    imageID: isRunning || last !== undefined ? (container.image ?? '') : '',
    ...((isRunning || last !== undefined) && { containerID: `${id}-${restarts}` }),
    started: isRunning,
  };
}

function printState(run: ContainerRun, pod: Pod, id: string, waitingReason: string): ContainerState {
  const { state, container } = run;
  switch (state.is) {
    case 'running':
      return { running: { startedAt: time(state.startedAt) } };
    case 'ended':
      return { terminated: printEnd(run.last!, `${id}-${run.restarts}`) };
    case 'crashBackOff': {
      const { namespace, name, uid } = pod.metadata;
      const where = `container=${container.name} pod=${name}_${namespace}(${uid})`;
      const message = `back-off ${duration(state.delayMs)} restarting failed ${where}`;
      return { waiting: { reason: 'CrashLoopBackOff', message } };
    }
    case 'pullBackOff': {
      const message = `Back-off pulling image "${container.image}": ErrImagePull: not found`;
      return { waiting: { reason: 'ImagePullBackOff', message } };
    }
    default:
      return { waiting: { reason: waitingReason } };
  }
}

function printEnd({ exitCode, startedAt, finishedAt }: Ended, containerID: string): NonNullable<ContainerState['terminated']> {
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return { exitCode, reason, startedAt: time(startedAt), finishedAt: time(finishedAt), containerID };
}


/** `1m20s`, as Go prints it. */
function duration(ms: number): string {
  const seconds = ms / 1000;
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}
