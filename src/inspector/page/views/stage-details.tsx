/** What is known about the stage that is selected in the picture. */
import type { ComponentChildren, JSX } from 'preact';
import type {
  ControllerStage,
  HandlerStage,
  InformerStage,
  Problem,
  QueueStage,
  ServerStage,
  Snapshot,
} from '../../protocol.js';
import { snapshot } from '../feed.js';
import { ago, count, duration, percent, rate } from '../format.js';
import type { Sort } from '../history.js';
import { Dot, Figures, Panel } from '../marks.js';
import { hashOf } from '../route.js';

type Figure = readonly [string, ComponentChildren];

export function StageDetails({ sort, id }: { readonly sort: Sort; readonly id: string }): JSX.Element | null {
  const now = snapshot.value;
  const stage = now?.[sort].find((candidate) => candidate.id === id);
  if (now === null || stage === undefined) return null;
  return (
    <Panel
      title={stage.name}
      class="details"
      note={
        <>
          {sort.slice(0, -1)} · <a href={hashOf('picture')}>show all</a>
        </>
      }
    >
      <Figures items={figuresOf(now, sort, stage)} />
      <div class="body">
        <Problems problems={now.problems.filter((problem) => problem.stage === id)} now={now.at} />
        <Neighbours now={now} sort={sort} stage={stage} />
      </div>
    </Panel>
  );
}

function figuresOf(now: Snapshot, sort: Sort, stage: Snapshot[Sort][number]): readonly Figure[] {
  switch (sort) {
    case 'servers':
      return serverFigures(stage as ServerStage);
    case 'informers':
      return informerFigures(stage as InformerStage, now.at);
    case 'handlers':
      return handlerFigures(stage as HandlerStage);
    case 'queues':
      return queueFigures(stage as QueueStage);
    case 'controllers':
      return controllerFigures(stage as ControllerStage);
  }
}

const lag = (lagMs: number | null) => (lagMs === null ? '–' : duration(lagMs));
const past = (at: number | null, now: number) => (at === null ? 'none' : ago(at, now));

function serverFigures(stage: ServerStage): readonly Figure[] {
  return [
    ['host', stage.host],
    ['requests/s', rate(stage.rate)],
    ['writes/s', rate(stage.writeRate)],
    ['longest answer', lag(stage.lagMs)],
    ['open watches', count(stage.watches)],
    ['errors', count(stage.errorsTotal)],
    ['retries', count(stage.retries)],
    ['throttled', count(stage.throttled)],
  ];
}

function informerFigures(stage: InformerStage, now: number): readonly Figure[] {
  return [
    ['state', stage.state],
    ['synced', stage.hasSynced ? 'yes' : 'no'],
    ['objects', count(stage.objects)],
    ['changes/s', rate(stage.rate)],
    ['deltas', count(stage.depth)],
    ['longest batch', lag(stage.lagMs)],
    ['staleness', duration(stage.stalenessMs)],
    ['last event', past(stage.lastEventAt, now)],
    ['last bookmark', past(stage.lastBookmarkAt, now)],
    ['failures in a row', count(stage.consecutiveFailures)],
    ['relists', count(stage.relists)],
    ['unreadable', count(stage.skipped)],
    ['resourceVersion', stage.resourceVersion === '' ? 'none' : stage.resourceVersion],
  ];
}

function handlerFigures(stage: HandlerStage): readonly Figure[] {
  return [
    ['calls/s', rate(stage.rate)],
    ['pending', count(stage.depth)],
    ['lag', lag(stage.lagMs)],
    ['longest call', lag(stage.callMs)],
    ['running for', lag(stage.runningMs)],
    ['of the event loop', percent(stage.busy, 1)],
    ['errors', count(stage.errorsTotal)],
    ['synced', stage.hasSynced ? 'yes' : 'no'],
  ];
}

function queueFigures(stage: QueueStage): readonly Figure[] {
  return [
    ['items', count(stage.depth)],
    ['processing', stage.processing === null ? '–' : count(stage.processing)],
    ['longest wait', lag(stage.lagMs)],
    ['adds/s', rate(stage.rate)],
    ['taken/s', rate(stage.takenRate)],
    ['retries/s', rate(stage.retryRate)],
  ];
}

function controllerFigures(stage: ControllerStage): readonly Figure[] {
  return [
    ['runs/s', rate(stage.rate)],
    ['running', `${stage.depth} of ${stage.workers}`],
    ['longest run', lag(stage.lagMs)],
    ['waiting keys', count(stage.waiting)],
    ['failing keys', count(stage.failing)],
    ['writes/s', rate(stage.writeRate)],
    ['skipped applies', count(stage.skippedApplies)],
    ['active', stage.isActive ? 'yes' : 'no'],
  ];
}

function Problems({ problems, now }: { readonly problems: readonly Problem[]; readonly now: number }): JSX.Element {
  return (
    <ul class="findings">
      {problems.map((problem) => (
        <li key={problem.id}>
          <Dot health={problem.severity} /> <b>{problem.title}</b> <span class="dim">{ago(problem.since, now)}</span>
          {problem.detail !== '' && <p class="breakable">{problem.detail}</p>}
          <p class="dim breakable">{problem.hint}</p>
        </li>
      ))}
    </ul>
  );
}

/** The stages before and after this one, its last error, its hottest items. */
function Neighbours({
  now,
  sort,
  stage,
}: {
  readonly now: Snapshot;
  readonly sort: Sort;
  readonly stage: Snapshot[Sort][number];
}) {
  switch (sort) {
    case 'informers': {
      const { server, lastError } = stage as InformerStage;
      return (
        <>
          {lastError !== null && !now.problems.some(({ detail }) => detail.includes(lastError)) && (
            <p class="bad-text breakable">Last error: {lastError}</p>
          )}
          <StageLinks title="Server" ids={[server]} now={now} />
          <StageLinks
            title="Handlers"
            ids={now.handlers.filter(({ informer }) => informer === stage.id).map(({ id }) => id)}
            now={now}
          />
        </>
      );
    }
    case 'handlers': {
      const { informer, to } = stage as HandlerStage;
      return (
        <>
          <StageLinks title="Informer" ids={[informer]} now={now} />
          <StageLinks title="Feeds" ids={[to]} now={now} />
        </>
      );
    }
    case 'queues': {
      const { controller, hottest } = stage as QueueStage;
      return (
        <>
          <StageLinks title="Controller" ids={[controller]} now={now} />
          {hottest.length > 0 && (
            <p>
              <span class="dim">Most added: </span>
              {hottest.map(({ item, rate: adds }) => (
                <span key={item} class="item">
                  <a href={hashOf('object', { q: item })}>
                    <code>{item}</code>
                  </a>{' '}
                  {rate(adds)}/s
                </span>
              ))}
            </p>
          )}
        </>
      );
    }
    case 'controllers': {
      const { queue, informer, writesTo } = stage as ControllerStage;
      return (
        <>
          <StageLinks title="Queue" ids={[queue]} now={now} />
          <StageLinks title="Informer" ids={[informer]} now={now} />
          <StageLinks title="Writes to" ids={[writesTo]} now={now} />
          <p>
            <a href={hashOf('controllers', { stage: stage.id })}>Runs and keys</a>
          </p>
        </>
      );
    }
    case 'servers':
      return (
        <StageLinks
          title="Informers"
          ids={now.informers.filter(({ server }) => server === stage.id).map(({ id }) => id)}
          now={now}
        />
      );
  }
}

/** The most links that are shown. */
const shownLinks = 20;

function StageLinks({
  title,
  ids,
  now,
}: {
  readonly title: string;
  readonly ids: readonly (string | null)[];
  readonly now: Snapshot;
}) {
  const stages = [...now.servers, ...now.informers, ...now.handlers, ...now.queues, ...now.controllers];
  const linked = stages.filter(({ id }) => ids.includes(id));
  if (linked.length === 0) return null;
  return (
    <p>
      <span class="dim">{title}: </span>
      {linked.slice(0, shownLinks).map(({ id, name, health }) => (
        <span key={id} class="item">
          <Dot health={health} /> <a href={hashOf('picture', { stage: id })}>{name}</a>
        </span>
      ))}
      {linked.length > shownLinks && <span class="dim">and {linked.length - shownLinks} more</span>}
    </p>
  );
}
