/** Memory: bytes of each informer and its indexes, and what a smaller cache would save. */
import type { JSX } from 'preact';
import type { InformerMemory, MemoryAnswer, SampledMemory } from '../../protocol.js';
import { useAnswer } from '../answer.js';
import { bytes, count, percent, plural, timeOfDay } from '../format.js';
import { Chip, Figures, Missing, Panel } from '../marks.js';
import { hashOf } from '../route.js';

export function MemoryView(): JSX.Element {
  const answer = useAnswer<MemoryAnswer>('api/memory', 0);
  const found = answer.value.value;
  if (found === null) return <Missing error={answer.error.value} />;
  const informers = [...found.informers].sort((a, b) => bytesOf(b) - bytesOf(a));
  const all = informers.reduce((sum, informer) => sum + bytesOf(informer), 0);
  const most = Math.max(1, ...informers.map(bytesOf));
  return (
    <>
      {answer.error.value !== null && <p class="notice bad-text">{answer.error.value}</p>}
      <Panel
        title="Process"
        note={
          <>
            measured at {timeOfDay(found.at).slice(0, 8)} ·{' '}
            <button type="button" class="link" onClick={() => answer.ask()}>
              Measure again
            </button>
          </>
        }
      >
        <Figures
          items={[
            ['caches', bytes(all)],
            ['resident', bytes(found.process.rssBytes)],
            ['heap used', bytes(found.process.heapUsedBytes)],
            ['heap total', bytes(found.process.heapTotalBytes)],
            ['external', bytes(found.process.externalBytes)],
            ['array buffers', bytes(found.process.arrayBuffersBytes)],
          ]}
        />
      </Panel>
      {informers.length === 0 && <p class="notice">This process has no informers.</p>}
      <div class="memory-view">
        {informers.map((informer) => (
          <Informer key={informer.id} informer={informer} all={all} most={most} />
        ))}
      </div>
    </>
  );
}

interface Part {
  readonly name: string;
  readonly label: (informer: InformerMemory) => string;
  readonly of: (informer: InformerMemory) => number;
}

const parts: readonly Part[] = [
  {
    name: 'objects',
    label: ({ storage, slabs }) => (storage === 'raw' ? `objects, in ${plural(slabs, 'slab')}` : 'objects, parsed'),
    of: ({ objectBytes }) => objectBytes,
  },
  {
    name: 'free',
    label: () => 'unused space of slabs',
    of: ({ slabBytes, objectBytes }) => Math.max(0, slabBytes - objectBytes),
  },
  {
    name: 'decoded',
    label: ({ decodedBudget }) => `decoded, at most ${bytes(decodedBudget)}`,
    of: ({ decodedBytes }) => decodedBytes,
  },
  { name: 'entries', label: () => 'keys and handles', of: ({ entryBytes }) => entryBytes },
  {
    name: 'indexes',
    label: ({ indexes }) => plural(indexes.length, 'index', 'indexes'),
    of: ({ indexes }) => indexes.reduce((sum, index) => sum + index.bytes, 0),
  },
];

/** All bytes of an informer. */
const bytesOf = (informer: InformerMemory): number => parts.reduce((sum, part) => sum + part.of(informer), 0);

interface InformerProps {
  readonly informer: InformerMemory;
  /** The bytes of all informers, and of the largest one. */
  readonly all: number;
  readonly most: number;
}

function Informer({ informer, all, most }: InformerProps): JSX.Element {
  const own = bytesOf(informer);
  return (
    <Panel
      title={informer.name}
      note={
        <>
          {plural(informer.objects, 'object')} · <b>{bytes(own)}</b> · {percent(own, all)} ·{' '}
          <a href={hashOf('picture', { stage: informer.id })} data-row>
            in the picture
          </a>
        </>
      }
    >
      <div class="body">
        <div class="memory-bar" aria-hidden="true">
          {parts.map((part) => (
            <i key={part.name} class={part.name} style={{ width: `${(100 * part.of(informer)) / most}%` }} />
          ))}
        </div>
        <ul class="memory-parts">
          {parts.map((part) => (
            <li key={part.name}>
              <i class={`swatch ${part.name}`} />
              <span class="dim">{part.label(informer)}</span>
              <b>{bytes(part.of(informer))}</b>
            </li>
          ))}
        </ul>
        <Indexes informer={informer} />
        <Savings informer={informer} />
      </div>
    </Panel>
  );
}

function Indexes({ informer }: { readonly informer: InformerMemory }): JSX.Element | null {
  if (informer.indexes.length === 0) return null;
  return (
    <p>
      <span class="dim">Indexes: </span>
      {informer.indexes.map((index) => (
        <span class="item" key={index.name}>
          <b>{index.name}</b> {bytes(index.bytes)}{' '}
          <span class="dim">
            {plural(index.values, 'value')}, {count(index.entries)} entries
          </span>
        </span>
      ))}
    </p>
  );
}

/** How many fields are shown before the reader asks for all. */
const shownFields = 5;

/** What a transform or an informer of metadata would save, as measured on a sample. */
function Savings({ informer }: { readonly informer: InformerMemory }): JSX.Element | null {
  const { sample, objectBytes } = informer;
  if (sample === null) return null;
  return (
    <div class="savings">
      <p class="dim">
        Savings, measured on {plural(sample.objects, 'object')} with a mean of {bytes(sample.meanBytes)}; the largest is{' '}
        <a class="breakable" href={hashOf('object', { informer: informer.id, key: sample.maxKey })}>
          {sample.maxKey}
        </a>{' '}
        {bytes(sample.maxBytes)}
      </p>
      <ul>
        {sample.metadataOnlySaves > 0 && (
          <li>
            <code>factory.metadata(…)</code>
            <b>{bytes(sample.metadataOnlySaves)}</b>
            <span>
              <Chip tone="ok">−{percent(sample.metadataOnlySaves, objectBytes)}</Chip>
            </span>
          </li>
        )}
        {sample.fields.slice(0, shownFields).map((field) => (
          <Saving key={field.path} field={field} />
        ))}
      </ul>
      {sample.fields.length > shownFields && (
        <details>
          <summary>{plural(sample.fields.length - shownFields, 'more field')}</summary>
          <ul>
            {sample.fields.slice(shownFields).map((field) => (
              <Saving key={field.path} field={field} />
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Saving({ field }: { readonly field: SampledMemory['fields'][number] }): JSX.Element {
  return (
    <li>
      <code class="breakable">drop('{field.path}')</code>
      <b>{bytes(field.saves)}</b>
      <span>
        <Chip>−{percent(field.share, 1)}</Chip>
      </span>
    </li>
  );
}
