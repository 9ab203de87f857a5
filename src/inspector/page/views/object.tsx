/** One object's path: search, what the cache has, who owns its fields, and what happened to it. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { FieldManager, ObjectAnswer, SearchAnswer, SearchMatch } from '../../protocol.js';
import { useAnswer } from '../answer.js';
import { idsOf, snapshot, stageOf } from '../feed.js';
import { ago, count, duration, plural } from '../format.js';
import { searchFieldId } from '../keys.js';
import { Chip, Missing, Panel } from '../marks.js';
import { hashOf, route } from '../route.js';
import { VirtualList } from '../virtual-list.js';
import { Timeline } from './timeline.js';

export function ObjectView(): JSX.Element {
  const { informer, key } = route.value.parameters;
  return (
    <div class={informer === undefined ? 'object-view searching' : 'object-view'}>
      <Search />
      {informer !== undefined && key !== undefined && (
        <Details key={`${informer} ${key}`} informer={informer} name={key} />
      )}
    </div>
  );
}

function Search(): JSX.Element {
  const asked = route.value.parameters['q'] ?? '';
  const query = useSignal(asked);
  useEffect(() => {
    query.value = asked;
  }, [asked]);
  const text = query.value.trim();
  const answer = useAnswer<SearchAnswer>(text === '' ? null : `api/search?q=${encodeURIComponent(text)}`, 0);
  const found = answer.value.value;
  return (
    <Panel title="Search" class="search">
      <div class="body">
        <input
          id={searchFieldId}
          type="search"
          aria-label="Search objects"
          placeholder="web kind:pod app=shop index:owner=…"
          autocomplete="off"
          spellcheck={false}
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
          }}
        />
        {answer.error.value !== null && <p class="bad-text breakable">{answer.error.value}</p>}
        {found === null ? <SearchHelp /> : <SearchSummary found={found} />}
      </div>
      {found !== null && (
        <VirtualList
          items={found.matches}
          rowHeight={46}
          maxHeight={46 * 9}
          keyOf={(match) => `${match.informer} ${match.key}`}
          label="Objects that were found"
        >
          {(match) => <Match match={match} query={query.value} />}
        </VirtualList>
      )}
    </Panel>
  );
}

function SearchHelp(): JSX.Element {
  const examples: readonly (readonly [string, string])[] = [
    ['web', 'part of a key: namespace/name'],
    ['kind:pod', 'a kind, a resource or an informer'],
    ['app=web', 'a label; label:app has the label at all'],
    ['index:owner=UID', 'a value of an index'],
  ];
  return (
    <>
      <dl class="search-help">
        {examples.map(([word, meaning]) => (
          <div key={word}>
            <dt>
              <code>{word}</code>
            </dt>
            <dd class="dim">{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="dim">Words are combined: all of them must match.</p>
      <p class="kinds">
        {idsOf('informers')
          .value.slice(0, 24)
          .map((id) => (
            <KindLink key={id} id={id} />
          ))}
      </p>
    </>
  );
}

function KindLink({ id }: { readonly id: string }): JSX.Element | null {
  const informer = stageOf('informers', id).value;
  if (informer === undefined) return null;
  return (
    <a class="chip" href={hashOf('object', { q: `kind:${informer.resource}` })}>
      {informer.resource} {count(informer.objects)}
    </a>
  );
}

function SearchSummary({ found }: { readonly found: SearchAnswer }): JSX.Element {
  return (
    <p class="dim breakable" role="status">
      {found.understood} · {found.more ? 'the first ' : ''}
      {plural(found.matches.length, 'match', 'matches')} of {plural(found.scanned, 'object')} in{' '}
      {duration(found.durationMs)}
    </p>
  );
}

function Match({ match, query }: { readonly match: SearchMatch; readonly query: string }): JSX.Element {
  const { informer, key, kind, isPresent, changedAt } = match;
  const { parameters } = route.value;
  const isOpen = parameters['informer'] === informer && parameters['key'] === key;
  const now = snapshot.value?.at ?? changedAt ?? 0;
  return (
    <a
      class={isOpen ? 'choice match selected' : 'choice match'}
      href={hashOf('object', { q: query, informer, key })}
      aria-current={isOpen ? 'true' : undefined}
      data-row
    >
      <span class="cut">{key}</span>
      <span class="cut dim">
        {kind}
        {!isPresent && ' · deleted'}
        {changedAt !== null && ` · changed ${ago(changedAt, now)}`}
      </span>
    </a>
  );
}

/** An object is asked for again after so many snapshots, as long as it is shown. */
const refreshEvery = 2;

function Details({ informer, name }: { readonly informer: string; readonly name: string }): JSX.Element {
  const path = `api/object?informer=${encodeURIComponent(informer)}&key=${encodeURIComponent(name)}`;
  const answer = useAnswer<ObjectAnswer>(path, refreshEvery);
  const found = answer.value.value;
  if (found === null) return <Missing error={answer.error.value} />;
  return (
    <div class="object-details">
      <Panel
        title={found.key}
        note={
          <>
            {found.kind} · <a href={hashOf('picture', { stage: informer })}>{found.resource}</a>{' '}
            {found.isPresent ? <Chip tone="ok">in the cache</Chip> : <Chip tone="warn">deleted</Chip>}
          </>
        }
      >
        <div class="body">
          {answer.error.value !== null && <p class="bad-text breakable">{answer.error.value}</p>}
          <Managers found={found} />
          <ObjectText found={found} />
        </div>
      </Panel>
      <Timeline found={found} />
    </div>
  );
}

function Managers({ found }: { readonly found: ObjectAnswer }): JSX.Element {
  const now = snapshot.value?.at ?? 0;
  if (found.managers.length === 0) {
    return <p class="dim breakable">Field managers: {found.managersError ?? 'none are recorded.'}</p>;
  }
  const describe = ({ operation, subresource, at }: FieldManager) =>
    [operation, subresource ?? '', at === null ? '' : ago(at, now)].filter((text) => text !== '').join(', ');
  return (
    <p class="managers">
      <span class="dim">Field managers{found.managersFrom === 'server' && ' (asked from the server)'}: </span>
      {found.managers.map((manager) => (
        <span class="item" key={`${manager.manager} ${manager.operation} ${manager.subresource}`}>
          <b>{manager.manager}</b> {plural(manager.fields, 'field')} <span class="dim">{describe(manager)}</span>
        </span>
      ))}
    </p>
  );
}

/** The object as JSON, drawn when it is opened. */
function ObjectText({ found }: { readonly found: ObjectAnswer }): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{found.isPresent ? 'The object in the cache' : 'Its last known state'}</summary>
      {found.hidden.length > 0 && <p class="dim breakable">Left out: {found.hidden.join(', ')}</p>}
      {isOpen.value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <pre tabIndex={0}>{found.object === null ? 'It cannot be read.' : JSON.stringify(found.object, null, 2)}</pre>
      )}
    </details>
  );
}
