/** The picture: the way of the data as eight stages, the plots of the last minutes, and every stage in a list. */
import { useComputed } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { idsOf, plotHistory, snapshot, stageOf, tick } from '../feed.js';
import { type FlowStage, flowOf } from '../flow.js';
import { count, duration, plural, rate } from '../format.js';
import { type Measure, type Sort, sorts, totalOf } from '../history.js';
import { Chip, Dot, Missing, Panel, toneOf } from '../marks.js';
import { Plot, type PlotLine } from '../plot.js';
import { hashOf, route } from '../route.js';
import { VirtualList } from '../virtual-list.js';
import { StageDetails } from './stage-details.js';

export function PictureView(): JSX.Element {
  const now = snapshot.value;
  if (now === null) return <Missing error={null} />;
  const selected = route.value.parameters['stage'];
  const sort = sorts.find((name) => now[name].some(({ id }) => id === selected));
  return (
    <>
      <ol class="flow" aria-label="The way of the data">
        {flowOf(now).map((stage) => (
          <FlowBox key={stage.name} stage={stage} />
        ))}
      </ol>
      {selected !== undefined && sort !== undefined ? (
        <>
          <StageDetails sort={sort} id={selected} />
          <StagePlots key={selected} id={selected} />
        </>
      ) : (
        <Plots />
      )}
      <div class="lanes">
        <Informers />
        <Handlers />
        <Queues />
      </div>
      <p class="dim recording">
        Recording for {duration(now.at - now.recording.since)} · {plural(now.recording.changes, 'change')} in memory ·{' '}
        {plural(now.recording.viewers, 'page')} open
      </p>
    </>
  );
}

function FlowBox({ stage }: { readonly stage: FlowStage }): JSX.Element {
  return (
    <li class={`stage ${toneOf(stage.health)}`} data-stage={stage.name}>
      <div class="stage-head">
        <Dot health={stage.health} />
        <b>{stage.name}</b>
        <span class="dim about">{stage.about}</span>
      </div>
      <p class="stage-rate">
        <b>{rate(stage.rate)}</b> <span class="dim">{stage.unit}</span>
      </p>
      <dl>
        {stage.lines.map(({ name, text, isBad }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={isBad ? 'bad-text' : ''}>{text}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

// ── plots ────────────────────────────────────────────────────────────────────────────────────────────────────────────

interface PlottedColumn extends PlotLine {
  readonly id: string;
  readonly measure: Measure;
}

interface PlotSpec {
  readonly title: string;
  readonly format: (value: number) => string;
  readonly columns: readonly PlottedColumn[];
}

const all = (sort: Sort, measure: Measure, label: string): PlottedColumn => ({ id: totalOf(sort), measure, label });

const overview: readonly PlotSpec[] = [
  {
    title: 'Per second',
    format: rate,
    columns: [
      all('informers', 'rate', 'changes'),
      all('controllers', 'rate', 'runs'),
      all('servers', 'rate', 'requests'),
    ],
  },
  {
    title: 'Lag',
    format: duration,
    columns: [
      all('handlers', 'lagMs', 'handlers'),
      all('queues', 'lagMs', 'queues'),
      all('controllers', 'lagMs', 'runs'),
    ],
  },
  {
    title: 'Waiting',
    format: rate,
    columns: [
      all('queues', 'depth', 'queues'),
      all('handlers', 'depth', 'handlers'),
      all('informers', 'depth', 'deltas'),
    ],
  },
  {
    title: 'Errors per second',
    format: rate,
    columns: [
      { ...all('servers', 'errors', 'requests'), isBad: true },
      all('handlers', 'errors', 'handlers'),
      all('controllers', 'errors', 'runs'),
    ],
  },
];

function Plots(): JSX.Element {
  return (
    <div class="plots">
      {overview.map((spec) => (
        <HistoryPlot key={spec.title} spec={spec} />
      ))}
    </div>
  );
}

/** The four numbers of one stage. */
function StagePlots({ id }: { readonly id: string }): JSX.Element {
  const specs: readonly PlotSpec[] = [
    { title: 'Per second', format: rate, columns: [{ id, measure: 'rate', label: 'rate' }] },
    { title: 'Lag', format: duration, columns: [{ id, measure: 'lagMs', label: 'longest' }] },
    { title: 'Waiting', format: rate, columns: [{ id, measure: 'depth', label: 'depth' }] },
    { title: 'Errors per second', format: rate, columns: [{ id, measure: 'errors', label: 'errors', isBad: true }] },
  ];
  return (
    <div class="plots">
      {specs.map((spec) => (
        <HistoryPlot key={spec.title} spec={spec} />
      ))}
    </div>
  );
}

function HistoryPlot({ spec }: { readonly spec: PlotSpec }): JSX.Element {
  const data = useComputed(() => {
    void tick.value;
    const history = plotHistory();
    return [[...history.times], ...spec.columns.map(({ id, measure }) => history.column(id, measure))];
  });
  return <Plot title={spec.title} lines={spec.columns} data={data} format={spec.format} />;
}

// ── lists of stages ──────────────────────────────────────────────────────────────────────────────────────────────────

const rowHeight = 32;
const listHeight = 12 * rowHeight;

interface LaneProps {
  readonly title: string;
  readonly sort: Sort;
  readonly class: string;
  readonly columns: readonly string[];
  readonly empty: string;
  readonly row: (id: string) => ComponentChildren;
}

function Lane({ title, sort, class: name, columns, empty, row }: LaneProps): JSX.Element {
  const ids = idsOf(sort).value;
  return (
    <Panel title={title} note={ids.length} class={`lane ${name}`}>
      {ids.length === 0 ? (
        <p class="body dim">{empty}</p>
      ) : (
        <>
          <div class="row head" aria-hidden="true">
            {columns.map((column) => (
              <span key={column}>{column}</span>
            ))}
          </div>
          <VirtualList
            items={ids}
            rowHeight={rowHeight}
            maxHeight={listHeight}
            keyOf={(id) => id}
            label={`Rows of ${title}`}
          >
            {row}
          </VirtualList>
        </>
      )}
    </Panel>
  );
}

interface RowProps {
  readonly stage: { readonly id: string; readonly name: string; readonly health: 'ok' | 'warning' | 'error' };
  /** After the name. */
  readonly note?: string | undefined;
  readonly children: ComponentChildren;
}

/** A row is a link that selects the stage, and again that does not. */
function Row({ stage, note, children }: RowProps): JSX.Element {
  const isSelected = route.value.parameters['stage'] === stage.id;
  return (
    <a
      class={`choice row ${toneOf(stage.health)} ${isSelected ? 'selected' : ''}`}
      href={isSelected ? hashOf('picture') : hashOf('picture', { stage: stage.id })}
      aria-current={isSelected ? 'true' : undefined}
      data-row
      data-id={stage.id}
    >
      <span class="cut row-name" title={stage.name}>
        <Dot health={stage.health} /> {stage.name} {note !== undefined && <span class="dim">{note}</span>}
      </span>
      {children}
    </a>
  );
}

/** A number of a row, with its name for those that do not see the head of the list. */
function Cell({
  name,
  isBad = false,
  children,
}: {
  readonly name: string;
  readonly isBad?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <span class={isBad ? 'cell bad-text' : 'cell'}>
      <span class="hidden-label">{name} </span>
      {children}
    </span>
  );
}

function Informers(): JSX.Element {
  return (
    <Lane
      title="Informers"
      sort="informers"
      class="informers"
      columns={['informer', 'state', 'changes/s', 'deltas', 'objects', 'errors']}
      empty="This process has no informers."
      row={(id) => <InformerRow id={id} />}
    />
  );
}

function InformerRow({ id }: { readonly id: string }): JSX.Element | null {
  const stage = stageOf('informers', id).value;
  if (stage === undefined) return null;
  const isWell = stage.state === 'watching' && stage.hasSynced;
  return (
    <Row stage={stage}>
      <span class="state">
        <Chip tone={isWell ? 'ok' : stage.state === 'backingOff' || stage.state === 'stopped' ? 'bad' : 'warn'}>
          {stage.state === 'listing' ? `listing ${count(stage.listed)}` : stage.state}
        </Chip>
      </span>
      <Cell name="changes per second">{rate(stage.rate)}</Cell>
      <Cell name="deltas">{count(stage.depth)}</Cell>
      <Cell name="objects">{count(stage.objects)}</Cell>
      <Cell name="errors" isBad={stage.errors > 0}>
        {count(stage.errorsTotal)}
      </Cell>
    </Row>
  );
}

function Handlers(): JSX.Element {
  return (
    <Lane
      title="Handlers"
      sort="handlers"
      class="handlers"
      columns={['handler', 'calls/s', 'pending', 'lag', 'call', 'errors']}
      empty="No handlers."
      row={(id) => <HandlerRow id={id} />}
    />
  );
}

function HandlerRow({ id }: { readonly id: string }): JSX.Element | null {
  const stage = stageOf('handlers', id).value;
  if (stage === undefined) return null;
  return (
    <Row stage={stage} note={stageOf('informers', stage.informer).value?.resource}>
      <Cell name="calls per second">{rate(stage.rate)}</Cell>
      <Cell name="pending">{count(stage.depth)}</Cell>
      <Cell name="lag">{stage.lagMs === null ? '–' : duration(stage.lagMs)}</Cell>
      <Cell name="longest call" isBad={stage.health !== 'ok'}>
        {stage.callMs === null && stage.runningMs === null
          ? '–'
          : duration(Math.max(stage.callMs ?? 0, stage.runningMs ?? 0))}
      </Cell>
      <Cell name="errors" isBad={stage.errors > 0}>
        {count(stage.errorsTotal)}
      </Cell>
    </Row>
  );
}

function Queues(): JSX.Element {
  return (
    <Lane
      title="Work queues and controllers"
      sort="queues"
      class="queues"
      columns={['queue', 'items', 'wait', 'adds/s', 'runs/s', 'running', 'failing']}
      empty="No work queues."
      row={(id) => <QueueRow id={id} />}
    />
  );
}

function QueueRow({ id }: { readonly id: string }): JSX.Element | null {
  const stage = stageOf('queues', id).value;
  if (stage === undefined) return null;
  const controller = stage.controller === null ? undefined : stageOf('controllers', stage.controller).value;
  return (
    <Row stage={stage}>
      <Cell name="items">{count(stage.depth)}</Cell>
      <Cell name="wait">{stage.lagMs === null ? '–' : duration(stage.lagMs)}</Cell>
      <Cell name="adds per second">{rate(stage.rate)}</Cell>
      <Cell name="runs per second">{controller === undefined ? '–' : rate(controller.rate)}</Cell>
      <Cell name="running">
        {controller === undefined ? (stage.processing ?? '–') : `${controller.depth}/${controller.workers}`}
      </Cell>
      <Cell name="failing" isBad={(controller?.failing ?? 0) > 0}>
        {controller === undefined ? '–' : count(controller.failing)}
      </Cell>
    </Row>
  );
}
