/** What happened to an object, the newest first: changes with their differences, calls of handlers, runs, writes and their echoes. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type {
  ChangeEntry,
  FieldChange,
  HandledEntry,
  ObjectAnswer,
  RunEntry,
  RunWrite,
  TimelineEntry,
  WriteEntry,
} from '../../protocol.js';
import { duration, plural, timeOfDay } from '../format.js';
import { Chip, Outcome, Panel } from '../marks.js';
import { hashOf } from '../route.js';

type EntryType = TimelineEntry['type'];
const types: readonly EntryType[] = ['change', 'handled', 'run', 'write'];
const names: Readonly<Record<EntryType, string>> = {
  change: 'changes',
  handled: 'handlers',
  run: 'runs',
  write: 'writes',
};

export function Timeline({ found }: { readonly found: ObjectAnswer }): JSX.Element {
  const shown = useSignal<ReadonlySet<EntryType>>(new Set(types));
  const entries = found.timeline.filter(({ type }) => shown.value.has(type)).reverse();
  const toggle = (type: EntryType) => {
    const next = new Set(shown.value);
    if (!next.delete(type)) next.add(type);
    shown.value = next;
  };
  return (
    <Panel
      title="Timeline"
      class="timeline"
      note={found.isCut ? 'the newest part; older entries were left out' : 'since the recording began'}
    >
      <fieldset class="filters">
        <legend class="hidden-label">Show</legend>
        {types.map((type) => (
          <label key={type} class={`chip ${shown.value.has(type) ? 'accent' : ''}`}>
            <input type="checkbox" checked={shown.value.has(type)} onChange={() => toggle(type)} /> {names[type]}{' '}
            {found.timeline.filter((entry) => entry.type === type).length}
          </label>
        ))}
      </fieldset>
      {entries.length === 0 ? (
        <p class="body dim">Nothing has happened to this object since the recording began.</p>
      ) : (
        <ol class="timeline-entries">
          {entries.map((entry, at) => (
            <Entry key={keyOf(entry)} entry={entry} before={entries[at + 1]} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

function keyOf(entry: TimelineEntry): string {
  switch (entry.type) {
    case 'change':
      return `change ${entry.resourceVersion} ${entry.change} ${entry.at}`;
    case 'handled':
      return `handled ${entry.handler} ${entry.resourceVersion} ${entry.at}`;
    case 'run':
      return `run ${entry.controller} ${entry.id}`;
    case 'write':
      return `write ${entry.controller} ${entry.runId} ${entry.at} ${entry.verb} ${entry.resource}`;
  }
}

function Entry({
  entry,
  before,
}: {
  readonly entry: TimelineEntry;
  readonly before: TimelineEntry | undefined;
}): JSX.Element {
  const isFailed = 'error' in entry && entry.error !== null;
  return (
    <li class={`entry ${entry.type} ${isFailed ? 'bad' : ''}`}>
      <div class="when">
        <time dateTime={new Date(entry.at).toISOString()}>{timeOfDay(entry.at)}</time>
        {before !== undefined && <span class="dim">+{duration(entry.at - before.at)}</span>}
      </div>
      <div class="what">{contentOf(entry)}</div>
    </li>
  );
}

function contentOf(entry: TimelineEntry): ComponentChildren {
  switch (entry.type) {
    case 'change':
      return <Change entry={entry} />;
    case 'handled':
      return <Handled entry={entry} />;
    case 'run':
      return <Run entry={entry} />;
    case 'write':
      return <Write entry={entry} />;
  }
}

const verbs = { add: 'added to the cache', update: 'changed', delete: 'deleted' };

function Change({ entry }: { readonly entry: ChangeEntry }): JSX.Element {
  const { change, managers, echoOf } = entry;
  return (
    <>
      <p class="headline">
        <b>{verbs[change]}</b>
        {managers.length > 0 && <span>by {managers.join(', ')}</span>}
        {entry.isFromList && <Chip tone="warn">found by a list</Chip>}
        {echoOf !== null && (
          <Chip tone="accent">
            echo of {echoOf.verb} by {echoOf.controller} for {echoOf.runKey}, {signed(echoOf.afterMs)}
          </Chip>
        )}
        <span class="dim">version {entry.resourceVersion}</span>
      </p>
      <Fields fields={entry.fields} isCut={entry.isCut} />
    </>
  );
}

const signed = (afterMs: number) =>
  afterMs < 0 ? `${duration(-afterMs)} before the answer` : `${duration(afterMs)} after the answer`;

/** How many differences are shown before the reader asks for all. */
const shownFields = 8;

function Fields({
  fields,
  isCut,
}: {
  readonly fields: readonly FieldChange[];
  readonly isCut: boolean;
}): JSX.Element | null {
  if (fields.length === 0) return null;
  const rest = fields.slice(shownFields);
  return (
    <>
      <ul class="fields">
        {fields.slice(0, shownFields).map((field) => (
          <Field key={field.path} field={field} />
        ))}
      </ul>
      {rest.length > 0 && (
        <details>
          <summary>{plural(rest.length, 'more field')}</summary>
          <ul class="fields">
            {rest.map((field) => (
              <Field key={field.path} field={field} />
            ))}
          </ul>
        </details>
      )}
      {isCut && <p class="dim">More fields differ.</p>}
    </>
  );
}

function Field({ field }: { readonly field: FieldChange }): JSX.Element {
  const { path, change, before, after, isHidden, manager } = field;
  return (
    <li class="field">
      <code class="path">{path}</code>
      <span class="values">
        {isHidden ? (
          <span class="dim">{change}; the value of a Secret is not shown</span>
        ) : (
          <>
            {before !== null && (
              <del>
                <code>{before}</code>
              </del>
            )}
            {before !== null && after !== null && <span class="dim"> → </span>}
            {after !== null && (
              <ins>
                <code>{after}</code>
              </ins>
            )}
          </>
        )}
        {manager !== null && <span class="dim by">{manager}</span>}
      </span>
    </li>
  );
}

function Handled({ entry }: { readonly entry: HandledEntry }): JSX.Element {
  return (
    <>
      <p class="headline">
        <b>
          handler <a href={hashOf('picture', { stage: entry.handler })}>{entry.name}</a>
        </b>
        <span>
          lag {duration(entry.lagMs)} · {entry.durationMs === null ? 'running' : `took ${duration(entry.durationMs)}`}
        </span>
        <span class="dim">version {entry.resourceVersion}</span>
      </p>
      {entry.error !== null && <p class="bad-text breakable">{entry.error}</p>}
    </>
  );
}

function Run({ entry }: { readonly entry: RunEntry }): JSX.Element {
  return (
    <>
      <p class="headline">
        <b>
          {entry.what} by {entry.controller}
        </b>
        <Outcome outcome={entry.outcome} />
        <span>
          {entry.durationMs === null ? 'running' : `took ${duration(entry.durationMs)}`}
          {entry.attempt > 1 && ` · attempt ${entry.attempt}`}
          {entry.againInMs !== null && ` · again in ${duration(entry.againInMs)}`}
        </span>
        <span class="dim breakable">because of {entry.causes.join(', ')}</span>
      </p>
      {entry.error !== null && <p class="bad-text breakable">{entry.error}</p>}
      {entry.writes.length > 0 && (
        <ul class="writes">
          {entry.writes.map((write, at) => (
            <li key={`${at} ${write.verb} ${write.resource} ${write.key}`}>
              <WriteText write={write} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Write({ entry }: { readonly entry: WriteEntry }): JSX.Element {
  return (
    <p class="headline">
      <b>
        written by {entry.controller} for {entry.runKey}
      </b>
      <WriteText write={entry} />
    </p>
  );
}

function WriteText({ write }: { readonly write: RunWrite }): JSX.Element {
  const { verb, resource, key, changed, informer, echoMs } = write;
  return (
    <span class="breakable">
      {verb} {resource} {informer === null ? key : <a href={hashOf('object', { informer, key })}>{key}</a>}{' '}
      {changed ? <Chip tone="accent">stored</Chip> : <Chip>nothing new</Chip>}{' '}
      {changed && <span class="dim">{echoMs === null ? 'no echo seen' : `echo ${signed(echoMs)}`}</span>}
    </span>
  );
}
