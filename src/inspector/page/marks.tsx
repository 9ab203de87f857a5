/** Small parts that all views use: marks of health, panels, figures. */
import type { ComponentChildren, JSX } from 'preact';
import type { Outcomes } from '../protocol.js';
import type { Health } from './health.js';

type Tone = 'ok' | 'warn' | 'bad' | 'accent' | 'plain';

const tones: Readonly<Record<Health, Tone>> = { ok: 'ok', warning: 'warn', error: 'bad' };
const words: Readonly<Record<Health, string>> = { ok: 'well', warning: 'warning', error: 'error' };

/** The class of rows and boxes with this health. */
export const toneOf = (health: Health): Tone => tones[health];

/** A mark whose form and colour tell the health. */
export function Dot({ health }: { readonly health: Health }): JSX.Element {
  return (
    <span class={`dot ${tones[health]}`}>
      <span class="hidden-label">{words[health]}</span>
    </span>
  );
}

export function Chip({
  tone = 'plain',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`chip ${tone}`}>{children}</span>;
}

const outcomeTones: Readonly<Record<keyof Outcomes, Tone>> = {
  done: 'ok',
  requeued: 'accent',
  waiting: 'plain',
  failed: 'bad',
  terminal: 'bad',
  aborted: 'warn',
};

/** How a run ended. */
export function Outcome({ outcome }: { readonly outcome: keyof Outcomes | null }): JSX.Element {
  return outcome === null ? <Chip tone="accent">running</Chip> : <Chip tone={outcomeTones[outcome]}>{outcome}</Chip>;
}

export interface PanelProps {
  readonly title: string;
  /** Beside the title. */
  readonly note?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Panel({ title, note, class: name = '', children }: PanelProps): JSX.Element {
  return (
    <section class={`panel ${name}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {note !== undefined && <span class="dim">{note}</span>}
      </header>
      {children}
    </section>
  );
}

/** Numbers with their names, in a row. */
export function Figures({ items }: { readonly items: readonly (readonly [string, ComponentChildren])[] }): JSX.Element {
  return (
    <dl class="figures">
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What a view shows instead of an answer that has not come. */
export function Missing({ error }: { readonly error: string | null }): JSX.Element {
  return error === null ? <p class="notice">Asking the process …</p> : <p class="notice bad-text">{error}</p>;
}
