/** Controllers: runs by outcome, keys that fail or wait and why, the longest runs, leaders, shards, refused requests. */
import type { ComponentChildren, JSX } from 'preact';
import type {
  ControllerDetails,
  ControllerStage,
  ControllersAnswer,
  Denial,
  KeyState,
  LeaseState,
  ManagerState,
  Outcomes,
  RunSummary,
} from '../../protocol.js';
import { useAnswer } from '../answer.js';
import { stageOf } from '../feed.js';
import { ago, count, duration, percent, plural, rate, timeOfDay } from '../format.js';
import { Chip, Dot, Figures, Missing, Outcome, Panel, toneOf } from '../marks.js';
import { hashOf, route } from '../route.js';

/** The answer is asked for again after so many snapshots. */
const refreshEvery = 2;

export function ControllersView(): JSX.Element {
  const answer = useAnswer<ControllersAnswer>('api/controllers', refreshEvery);
  const found = answer.value.value;
  if (found === null) return <Missing error={answer.error.value} />;
  const asked = route.value.parameters['stage'];
  const open = found.controllers.find(({ id }) => id === asked) ?? found.controllers[0];
  return (
    <>
      {answer.error.value !== null && <p class="notice bad-text">{answer.error.value}</p>}
      <div class="controllers-view">
        <Panel title="Controllers" note={found.controllers.length} class="controller-list">
          {found.controllers.length === 0 && (
            <p class="body dim">This process has no controllers of a manager that the inspector knows.</p>
          )}
          <ul>
            {found.controllers.map(({ id, name }) => (
              <li key={id}>
                <ControllerLink id={id} name={name} isOpen={id === open?.id} />
              </li>
            ))}
          </ul>
        </Panel>
        {open !== undefined && <Details key={open.id} details={open} now={found.at} />}
        {found.managers.length + found.leases.length > 0 && (
          <Panel title="Managers and Leases" class="managers">
            <Managers managers={found.managers} />
            <Leases leases={found.leases} now={found.at} />
          </Panel>
        )}
      </div>
      <Denials denials={found.denials} now={found.at} />
    </>
  );
}

function ControllerLink({
  id,
  name,
  isOpen,
}: {
  readonly id: string;
  readonly name: string;
  readonly isOpen: boolean;
}): JSX.Element {
  const stage = stageOf('controllers', id).value;
  return (
    <a
      class={`choice controller-link ${isOpen ? 'selected' : ''}`}
      href={hashOf('controllers', { stage: id })}
      aria-current={isOpen ? 'true' : undefined}
      data-row
    >
      <span class="cut">
        <Dot health={stage?.health ?? 'ok'} /> <b>{name}</b>
      </span>
      {stage !== undefined && (
        <>
          <span class="dim">
            {rate(stage.rate)} runs/s
            {stage.failing > 0 && <span class="bad-text"> · {count(stage.failing)} failing</span>}
          </span>
          <OutcomeBar outcomes={stage.outcomes} />
        </>
      )}
    </a>
  );
}

const outcomeOrder: readonly (keyof Outcomes)[] = ['done', 'requeued', 'waiting', 'aborted', 'failed', 'terminal'];

/** The shares of outcomes; the numbers are beside it or in its label. */
function OutcomeBar({ outcomes }: { readonly outcomes: Outcomes }): JSX.Element {
  const all = outcomeOrder.reduce((sum, name) => sum + outcomes[name], 0);
  const label = outcomeOrder.map((name) => `${name} ${outcomes[name]}`).join(', ');
  return (
    <span class="bar" role="img" aria-label={label} title={label}>
      {all > 0 && outcomeOrder.map((name) => <i key={name} class={name} style={{ flexGrow: outcomes[name] / all }} />)}
    </span>
  );
}

function Details({ details, now }: { readonly details: ControllerDetails; readonly now: number }): JSX.Element {
  const stage = stageOf('controllers', details.id).value;
  return (
    <div class="controller-details">
      <Panel
        title={details.name}
        note={
          <>
            {stage !== undefined && !stage.isActive && <Chip tone="warn">not active in this replica</Chip>}{' '}
            <a href={hashOf('picture', { stage: details.id })}>in the picture</a>
          </>
        }
      >
        {stage !== undefined && <StageFigures stage={stage} />}
      </Panel>
      <Keys
        title="Failing keys"
        keys={details.failing}
        all={details.failingCount}
        isBad
        empty="No key failed in its last run."
        now={now}
      />
      <Keys title="Waiting keys" keys={details.waiting} all={details.waiting.length} empty="No key waits." now={now} />
      {details.running.length > 0 && <Runs title="Running now" runs={details.running} now={now} />}
      <div class="two">
        <Runs title="Longest runs" runs={details.longest} now={now} />
        <Runs title="Last runs" runs={details.recent} now={now} />
      </div>
      <div class="two">
        <Durations details={details} />
        <Causes details={details} />
      </div>
    </div>
  );
}

function StageFigures({ stage }: { readonly stage: ControllerStage }): JSX.Element {
  const { outcomes } = stage;
  return (
    <>
      <Figures
        items={[
          ['runs/s', rate(stage.rate)],
          ['running', `${stage.depth} of ${stage.workers}`],
          ['longest run', stage.lagMs === null ? '–' : duration(stage.lagMs)],
          ['waiting', count(stage.waiting)],
          ['failing', <span class={stage.failing > 0 ? 'bad-text' : ''}>{count(stage.failing)}</span>],
          ['writes/s', rate(stage.writeRate)],
          ['skipped applies', count(stage.skippedApplies)],
        ]}
      />
      <div class="body outcomes">
        <OutcomeBar outcomes={outcomes} />
        <ul>
          {outcomeOrder.map((name) => (
            <li key={name} data-outcome={name}>
              <i class={`swatch ${name}`} /> {name} <b>{count(outcomes[name])}</b>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

interface KeysProps {
  readonly title: string;
  readonly keys: readonly KeyState[];
  readonly all: number;
  readonly isBad?: boolean;
  readonly empty: string;
  readonly now: number;
}

function Keys({ title, keys, all, isBad = false, empty, now }: KeysProps): JSX.Element {
  return (
    <Panel title={title} note={all > keys.length ? `${keys.length} of ${all}` : all}>
      {keys.length === 0 ? (
        <p class="body dim">{empty}</p>
      ) : (
        <Table head={['key', 'why', '#attempt', '#since', '#due']}>
          {keys.map((state) => (
            <tr key={state.key} class={isBad ? toneOf('error') : ''}>
              <td>
                <KeyLink name={state.key} informer={state.informer} />
              </td>
              <td class={isBad ? 'why bad-text breakable' : 'why breakable'}>{state.why}</td>
              <td class="number">{state.attempt ?? '–'}</td>
              <td class="number">{state.since === null ? '–' : ago(state.since, now)}</td>
              <td class="number">
                {state.dueAt === null ? '–' : state.dueAt <= now ? 'now' : `in ${duration(state.dueAt - now)}`}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

/** How many runs a table shows. */
const shownRuns = 12;

function Runs({
  title,
  runs,
  now,
}: {
  readonly title: string;
  readonly runs: readonly RunSummary[];
  readonly now: number;
}): JSX.Element {
  return (
    <Panel title={title}>
      {runs.length === 0 ? (
        <p class="body dim">No run since the recording began.</p>
      ) : (
        <Table head={['key', '#took', 'outcome', '#writes', '#began']}>
          {runs.slice(0, shownRuns).map((run) => (
            <tr key={`${run.id} ${run.key}`}>
              <td>
                <KeyLink name={run.key} informer={run.informer} />
              </td>
              <td class="number">{duration(run.durationMs)}</td>
              <td title={run.error ?? ''}>
                <Outcome outcome={run.outcome} />{' '}
                {run.attempt > 1 && <span class="dim nowrap">attempt {run.attempt}</span>}
              </td>
              <td class="number">{run.writes}</td>
              <td class="number" title={timeOfDay(run.at)}>
                {ago(run.at, now)}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

function KeyLink({ name, informer }: { readonly name: string; readonly informer: string | null }): JSX.Element {
  if (informer === null) return <span class="breakable">{name}</span>;
  return (
    <a class="breakable" href={hashOf('object', { informer, key: name })} data-row>
      {name}
    </a>
  );
}

function Durations({ details }: { readonly details: ControllerDetails }): JSX.Element {
  const all = details.durations.reduce((sum, { runs }) => sum + runs, 0);
  return (
    <Panel title="How long runs take" note={plural(all, 'run')}>
      <ul class="body shares">
        {details.durations.map(({ upToMs, runs }, at) => (
          <Share
            key={upToMs ?? 'more'}
            name={
              upToMs === null ? `over ${duration(details.durations[at - 1]?.upToMs ?? 0)}` : `up to ${duration(upToMs)}`
            }
            value={runs}
            all={all}
          />
        ))}
      </ul>
    </Panel>
  );
}

function Causes({ details }: { readonly details: ControllerDetails }): JSX.Element {
  const all = details.causes.reduce((sum, { runs }) => sum + runs, 0);
  return (
    <Panel title="Why runs begin">
      {details.causes.length === 0 ? (
        <p class="body dim">No run since the recording began.</p>
      ) : (
        <ul class="body shares">
          {details.causes.map(({ cause, runs }) => (
            <Share key={cause} name={cause} value={runs} all={all} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Share({
  name,
  value,
  all,
}: {
  readonly name: string;
  readonly value: number;
  readonly all: number;
}): JSX.Element {
  return (
    <li class="share">
      <span class="cut" title={name}>
        {name}
      </span>
      <span class="share-bar" aria-hidden="true">
        <i style={{ width: `${all === 0 ? 0 : (100 * value) / all}%` }} />
      </span>
      <span class="number">{count(value)}</span>
      <span class="number dim">{percent(value, all)}</span>
    </li>
  );
}

function Managers({ managers }: { readonly managers: readonly ManagerState[] }): JSX.Element | null {
  if (managers.length === 0) return null;
  return (
    <div class="body">
      <h3>Managers</h3>
      <ul class="facts-list">
        {managers.map((manager) => (
          <li key={`${manager.name} ${manager.identity}`}>
            <b>{manager.name}</b> {manager.isLeader ? <Chip tone="ok">leader</Chip> : <Chip>not leader</Chip>}{' '}
            {manager.notReady !== null && <Chip tone="warn">not ready</Chip>}
            <p class="dim breakable">{manager.identity}</p>
            {manager.notReady !== null && <p class="warn-text breakable">{manager.notReady}</p>}
            {manager.shardCount > 0 && <Shards manager={manager} />}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Shards({ manager }: { readonly manager: ManagerState }): JSX.Element {
  const held = new Set(manager.shards);
  const label = `${held.size} of ${plural(manager.shardCount, 'shard')}`;
  return (
    <>
      <p>{label}</p>
      <span class="shards" role="img" aria-label={`${label}: ${manager.shards.join(', ')}`}>
        {Array.from({ length: manager.shardCount }, (_, shard) => (
          <i key={shard} class={held.has(shard) ? 'held' : ''} title={`shard ${shard}`} />
        ))}
      </span>
    </>
  );
}

function Leases({ leases, now }: { readonly leases: readonly LeaseState[]; readonly now: number }): JSX.Element | null {
  if (leases.length === 0) return null;
  return (
    <div class="body">
      <h3>Leases</h3>
      <ul class="facts-list">
        {leases.map((lease) => (
          <li key={`${lease.lease} ${lease.identity}`}>
            <b class="breakable">{lease.lease}</b>{' '}
            {lease.isLeader ? <Chip tone="ok">leader</Chip> : <Chip>not leader</Chip>}
            <p class="dim breakable">
              {lease.identity}
              {lease.since !== null &&
                ` · ${lease.isLeader ? 'leads' : 'does not lead'} since ${ago(lease.since, now)}`}
              {lease.lastRenewalAt !== null && ` · renewed ${ago(lease.lastRenewalAt, now)}`}
              {lease.lastRenewalMs !== null && ` in ${duration(lease.lastRenewalMs)}`}
            </p>
            {lease.lastError !== null && <p class="bad-text breakable">{lease.lastError}</p>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Denials({ denials, now }: { readonly denials: readonly Denial[]; readonly now: number }): JSX.Element {
  return (
    <Panel title="Refused requests" note="401 and 403, since the recording began">
      {denials.length === 0 ? (
        <p class="body dim">The server refused nothing.</p>
      ) : (
        <Table head={['verb', 'path', '#status', '#times', '#last', 'message']}>
          {denials.map((denial) => (
            <tr key={`${denial.server} ${denial.verb} ${denial.path} ${denial.status}`} class={toneOf('error')}>
              <td>{denial.verb}</td>
              <td class="breakable">
                <code>{denial.path}</code>
              </td>
              <td class="number">{denial.status}</td>
              <td class="number">{count(denial.count)}</td>
              <td class="number">{ago(denial.lastAt, now)}</td>
              <td class="why breakable">{denial.message}</td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

/** A table that scrolls sideways on narrow screens; `#` marks columns of numbers. */
function Table({
  head,
  children,
}: {
  readonly head: readonly string[];
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class="scroll" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} class={name.startsWith('#') ? 'number' : ''}>
                {name.replace('#', '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
