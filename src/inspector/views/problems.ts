import type {
  ControllerStage,
  HandlerStage,
  InformerStage,
  Problem,
  ProblemKind,
  QueueStage,
  ServerStage,
  Snapshot,
} from '../protocol.js';
import type { RecordedDenial } from '../recording/server-recorder.js';

/** What the rules look at besides the stages. */
export interface ProblemFacts {
  readonly denials: readonly RecordedDenial[];
  /** Some of the failing keys of each controller, by its id, and why they fail. */
  readonly failing: ReadonlyMap<string, readonly { readonly key: string; readonly why: string }[]>;
}

/**
 * What counts as a problem. A rule looks at one stage of a snapshot, and at the depths of the stage in the seconds before.
 *
 * | problem | rule |
 * | --- | --- |
 * | unsynced | not synced, and a list or watch has failed, or 30 s after it was first seen |
 * | deaf | 3 failures in a row |
 * | stale | no watch is open, and none was for 10 s; or no event or bookmark for 3 min |
 * | skipped | objects that could not be read |
 * | slowHandler | a call held the event loop for 50 ms, a call runs for 10 s, or calls take half of the time |
 * | laggingHandler | events waited for 1 s, or 1,000 wait and their number grows |
 * | failingHandler | it threw in the last 10 s |
 * | growingQueue | at least 50 items wait, and a fifth more than 10 s ago |
 * | hotKey | an item was added 5 times a second, over 10 s; in a queue with more than 250 additions a second, about one in 200 of them |
 * | failingKey | keys whose last run failed |
 * | slowRun | a run ended after 10 s, or more |
 * | denied | requests refused with 401 or 403 in the last minute |
 * | busyLoop | the event loop was 200 ms late |
 */
const limits = {
  unsyncedAfterMs: 30_000,
  deafAfterFailures: 3,
  closedForMs: 10_000,
  silentForMs: 180_000,
  slowCallMs: 50,
  hangingCallMs: 10_000,
  busyShare: 0.5,
  lagMs: 1000,
  manyPending: 1000,
  manyQueued: 50,
  growth: 1.2,
  growthSeconds: 10,
  hotRate: 5,
  slowRunMs: 10_000,
  deniedForMs: 60_000,
  lateMs: 200,
} as const;

/** How long a problem of a moment, such as a slow call, stays visible. */
const visibleMs = 10_000;
const mostProblems = 100;
const mostKeys = 10;

/** A problem before its age is known. */
interface Found extends Omit<Problem, 'id' | 'since'> {
  /** Whether it is about one moment, and stays visible for some time after that. */
  readonly isMomentary?: boolean;
}

/** What a rule knows of a stage besides its present state. */
interface Past {
  readonly now: number;
  /** When the stage was first seen. */
  readonly seenAt: number;
  /** The depth 10 s ago; undefined if the stage was not there. */
  readonly depthBefore: number | undefined;
}

interface Known {
  readonly problem: Problem;
  readonly isMomentary: boolean;
  lastAt: number;
}

interface SeenStage {
  readonly seenAt: number;
  readonly depths: { readonly at: number; readonly depth: number }[];
}

/** Finds the problems of each snapshot, and remembers since when each of them lasts. */
export class ProblemTracker {
  readonly #stages = new Map<string, SeenStage>();
  #known = new Map<string, Known>();

  /** The snapshot with its problems, and the health of each stage. */
  judge(snapshot: Snapshot, { denials, failing }: ProblemFacts): Snapshot {
    const { at } = snapshot;
    const found: Found[] = [
      ...snapshot.informers.flatMap((stage) => informerProblems(stage, this.#past(stage, at))),
      ...snapshot.handlers.flatMap((stage) => handlerProblems(stage, this.#past(stage, at))),
      ...snapshot.queues.flatMap((stage) => queueProblems(stage, this.#past(stage, at))),
      ...snapshot.controllers.flatMap((stage) => controllerProblems(stage, failing.get(stage.id) ?? [])),
      ...snapshot.servers.flatMap((stage) => serverProblems(stage, denials, at)),
      ...processProblems(snapshot),
    ];
    this.#forgetStages(snapshot);
    const problems = this.#remember(found, at);
    const worst = new Map<string, Problem['severity']>();
    for (const { stage, severity } of problems)
      if (stage !== null && worst.get(stage) !== 'error') worst.set(stage, severity);
    const judged = <S extends { readonly id: string }>(stages: readonly S[]): S[] =>
      stages.map((stage) => ({ ...stage, health: worst.get(stage.id) ?? 'ok' }));
    return {
      ...snapshot,
      servers: judged(snapshot.servers),
      informers: judged(snapshot.informers),
      handlers: judged(snapshot.handlers),
      queues: judged(snapshot.queues),
      controllers: judged(snapshot.controllers),
      problems: problems.slice(0, mostProblems),
    };
  }

  #past({ id, depth }: { readonly id: string; readonly depth: number }, now: number): Past {
    let seen = this.#stages.get(id);
    if (seen === undefined) this.#stages.set(id, (seen = { seenAt: now, depths: [] }));
    const { depths } = seen;
    depths.push({ at: now, depth });
    const since = now - limits.growthSeconds * 1000;
    while (depths.length > 1 && (depths[1]?.at ?? now) <= since) depths.shift();
    const [first] = depths;
    const depthBefore = first !== undefined && first.at <= since ? first.depth : undefined;
    return { now, seenAt: seen.seenAt, depthBefore };
  }

  #forgetStages({ informers, handlers, queues }: Snapshot): void {
    const present = new Set([...informers, ...handlers, ...queues].map(({ id }) => id));
    for (const id of this.#stages.keys()) if (!present.has(id)) this.#stages.delete(id);
  }

  #remember(found: readonly Found[], now: number): Problem[] {
    const known = new Map<string, Known>();
    for (const { isMomentary = false, ...one } of found) {
      const id = `${one.kind} ${one.stage ?? ''}`;
      const since = this.#known.get(id)?.problem.since ?? now;
      known.set(id, { problem: { id, ...one, since }, isMomentary, lastAt: now });
    }
    for (const [id, before] of this.#known) {
      if (!known.has(id) && before.isMomentary && now - before.lastAt < visibleMs) known.set(id, before);
    }
    this.#known = known;
    const rank = { error: 0, warning: 1 };
    return Array.from(known.values(), ({ problem }) => problem).sort(
      (a, b) => rank[a.severity] - rank[b.severity] || a.since - b.since,
    );
  }
}

function problem(
  kind: ProblemKind,
  severity: Problem['severity'],
  stage: { readonly id: string } | null,
  title: string,
  rest: { readonly detail?: string | null; readonly hint: string; readonly keys?: readonly string[] },
): Found {
  const keys = (rest.keys ?? []).slice(0, mostKeys);
  return { kind, severity, stage: stage?.id ?? null, title, detail: rest.detail ?? '', hint: rest.hint, keys };
}

/** The same problem, which stays visible for some time. */
function momentary(found: Found): Found {
  return { ...found, isMomentary: true };
}

function informerProblems(stage: InformerStage, { now, seenAt }: Past): Found[] {
  const { name, state, hasSynced, consecutiveFailures: failures, lastError: detail, stalenessMs } = stage;
  if (state === 'stopped' || state === 'idle') return [];
  const skipped =
    stage.skipped === 0
      ? []
      : [
          problem('skipped', 'warning', stage, `${name} could not read ${count(stage.skipped, 'object')}`, {
            detail,
            hint: 'The cache has their last readable state. informer.status.skipped names them.',
          }),
        ];
  if (!hasSynced) {
    if (failures === 0 && now - seenAt < limits.unsyncedAfterMs) return skipped;
    const listed = stage.listed > 0 ? `, ${stage.listed} objects so far` : '';
    const hint =
      state === 'waitingForResource'
        ? 'The server does not have this resource: is the definition installed?'
        : 'Handlers and controllers of this informer wait until it has synced.';
    return [
      problem('unsynced', 'error', stage, `${name} has not synced (${state}${listed})`, { detail, hint }),
      ...skipped,
    ];
  }
  if (failures >= limits.deafAfterFailures) {
    const title = `${name} is deaf: ${failures} failures in a row`;
    const hint =
      'Its cache does not change until a list or watch succeeds. Check the server, the network and permissions.';
    return [problem('deaf', 'error', stage, title, { detail, hint }), ...skipped];
  }
  const lastSign = Math.max(stage.lastEventAt ?? 0, stage.lastBookmarkAt ?? 0, seenAt);
  if (stalenessMs >= limits.closedForMs || now - lastSign >= limits.silentForMs) {
    const what =
      stalenessMs >= limits.closedForMs
        ? `no watch is open for ${seconds(stalenessMs)}`
        : `no event or bookmark for ${seconds(now - lastSign)}`;
    const hint =
      'Servers send a bookmark about every minute: the connection may be dead, or a proxy may hold events back.';
    return [problem('stale', 'error', stage, `${name} is stale: ${what}`, { detail, hint }), ...skipped];
  }
  return skipped;
}

function handlerProblems(stage: HandlerStage, { depthBefore }: Past): Found[] {
  const { name, blockedMs, busy, runningMs, lagMs, depth } = stage;
  const found: Found[] = [];
  const slow = (what: string, severity: Problem['severity'], hint: string): void => {
    found.push(momentary(problem('slowHandler', severity, stage, `the handler ${name} is slow: ${what}`, { hint })));
  };
  if (runningMs !== null && runningMs >= limits.hangingCallMs)
    slow(
      `a call runs for ${seconds(runningMs)}`,
      'error',
      'Its promise is not settled; no further event is delivered to it.',
    );
  else if (busy >= limits.busyShare)
    slow(
      `it holds the event loop for ${percent(busy)} of the time`,
      'error',
      'Do less in it: add a key to a queue instead.',
    );
  else if (blockedMs !== null && blockedMs >= limits.slowCallMs)
    slow(
      `a call held the event loop for ${Math.round(blockedMs)} ms`,
      'warning',
      'A synchronous call of this length delays everything else in the process.',
    );
  const isGrowing = depth >= limits.manyPending && depthBefore !== undefined && depth > depthBefore * limits.growth;
  if (isGrowing || (lagMs !== null && lagMs >= limits.lagMs)) {
    const lag = lagMs === null ? '' : `, the last one for ${seconds(lagMs)}`;
    const hint = 'It takes longer for each event than events come. `coalesce: true` merges those of one object.';
    found.push(
      momentary(
        problem('laggingHandler', 'warning', stage, `${count(depth, 'event')} wait for the handler ${name}${lag}`, {
          hint,
        }),
      ),
    );
  }
  if (stage.errors > 0) {
    const title = `the handler ${name} throws: ${count(stage.errorsTotal, 'time')} since the recording began`;
    const hint = 'An event whose handler threw counts as delivered. The timeline of an object has the error.';
    found.push(momentary(problem('failingHandler', 'error', stage, title, { hint })));
  }
  return found;
}

function queueProblems(stage: QueueStage, { depthBefore }: Past): Found[] {
  const { name, depth, rate, takenRate, hottest } = stage;
  const found: Found[] = [];
  if (depth >= limits.manyQueued && depthBefore !== undefined && depth >= depthBefore * limits.growth) {
    const title = `the queue ${name} grows: ${depth} items, ${depthBefore} ten seconds ago`;
    const detail = `${perSecond(rate)} added, ${perSecond(takenRate)} taken`;
    const hint =
      'Work takes longer than it comes. More workers help if they wait for requests, and not if they compute.';
    found.push(momentary(problem('growingQueue', 'warning', stage, title, { detail, hint })));
  }
  const hot = hottest.filter((item) => item.rate >= limits.hotRate);
  const [first] = hot;
  if (first !== undefined) {
    const title = `${first.item} is added to the queue ${name} ${perSecond(first.rate)}`;
    const hint =
      'Something wakes this key again and again: often its own writes, a status with a time in it, or two controllers that undo each other. Its timeline shows what changes.';
    found.push(momentary(problem('hotKey', 'error', stage, title, { hint, keys: hot.map(({ item }) => item) })));
  }
  return found;
}

function controllerProblems(
  stage: ControllerStage,
  failingKeys: readonly { readonly key: string; readonly why: string }[],
): Found[] {
  const { name, failing, lagMs } = stage;
  const found: Found[] = [];
  if (failing > 0) {
    const [first] = failingKeys;
    const what =
      first === undefined ? count(failing, 'object') : first.key + (failing > 1 ? ` and ${failing - 1} more` : '');
    const hint = 'They are tried again with growing delays. The view of controllers has the errors and the dates.';
    const keys = failingKeys.map(({ key }) => key);
    found.push(
      problem('failingKey', 'error', stage, `${name} fails for ${what}`, { detail: first?.why ?? '', hint, keys }),
    );
  }
  if (lagMs !== null && lagMs >= limits.slowRunMs) {
    const hint = 'A run holds a worker and its key until it ends.';
    found.push(momentary(problem('slowRun', 'warning', stage, `a run of ${name} took ${seconds(lagMs)}`, { hint })));
  }
  return found;
}

function serverProblems(stage: ServerStage, denials: readonly RecordedDenial[], now: number): Found[] {
  const recent = denials.filter(({ host, lastAt }) => host === stage.host && now - lastAt < limits.deniedForMs);
  const [first] = recent;
  if (first === undefined) return [];
  const more = recent.length > 1 ? ` and ${count(recent.length - 1, 'other request')}` : '';
  const hint = 'The view of controllers has all of them. `kubeflect manifests` prints the roles that a manager needs.';
  const title = `${stage.name} refuses to ${first.verb} ${first.path} (${first.status})${more}`;
  return [problem('denied', 'error', stage, title, { detail: first.message, hint })];
}

function processProblems({ process }: Snapshot): Found[] {
  if (process.eventLoopLagMs < limits.lateMs) return [];
  const title = `the event loop was late by ${Math.round(process.eventLoopLagMs)} ms`;
  const hint = 'Something computes for long in one piece: a handler, a reconcile, or code beside kubeflect.';
  return [momentary(problem('busyLoop', 'warning', null, title, { hint }))];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

function perSecond(rate: number): string {
  return `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} times a second`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
