/** The frame of the page: header, problems, the view that the address names, the help. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Problem } from '../protocol.js';
import { type Connection, connect, connection, isPaused, snapshot } from './feed.js';
import { ago, bytes, duration, percent } from './format.js';
import type { Health } from './health.js';
import { isHelpOpen, shortcuts } from './keys.js';
import { Dot } from './marks.js';
import { hashOf, route, type ViewName, views } from './route.js';
import { switchTheme, theme } from './theme.js';
import { ControllersView } from './views/controllers.js';
import { MemoryView } from './views/memory.js';
import { ObjectView } from './views/object.js';
import { PictureView } from './views/picture.js';

const titles: Readonly<Record<ViewName, string>> = {
  picture: 'Picture',
  object: 'Object',
  controllers: 'Controllers',
  memory: 'Memory',
};
const contents: Readonly<Record<ViewName, () => JSX.Element>> = {
  picture: PictureView,
  object: ObjectView,
  controllers: ControllersView,
  memory: MemoryView,
};

export function App(): JSX.Element {
  const { view } = route.value;
  const View = contents[view];
  const name = snapshot.value?.process.name;
  useEffect(() => {
    document.title = `${titles[view]} · ${name ?? 'kubeflect'} · inspector`;
  }, [view, name]);
  return (
    <>
      <Header />
      <Problems />
      <main>
        <h1 class="hidden-label">{titles[view]}</h1>
        <ConnectionNotice />
        <View />
      </main>
      <Help />
    </>
  );
}

function Header(): JSX.Element {
  return (
    <header class="top">
      <a class="brand" href={hashOf('picture')}>
        <svg viewBox="0 0 18 18" aria-hidden="true">
          <path d="M9 1l7 4v8l-7 4-7-4V5z" fill="none" stroke="currentColor" stroke-width="1.5" />
          <path d="M5 9h8M10 6l3 3-3 3" fill="none" stroke="currentColor" stroke-width="1.5" />
        </svg>
        kubeflect <span>inspector</span>
      </a>
      <nav class="views" aria-label="Views">
        {views.map((view, at) => (
          <a key={view} href={hashOf(view)} aria-current={route.value.view === view ? 'page' : undefined}>
            {titles[view]} <kbd>{at + 1}</kbd>
          </a>
        ))}
      </nav>
      <ProcessFacts />
      <div class="tools">
        <ConnectionMark />
        <button
          type="button"
          class="tool"
          aria-pressed={isPaused.value}
          aria-label="Pause the display"
          title="Pause the display (p)"
          onClick={() => {
            isPaused.value = !isPaused.value;
          }}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d={isPaused.value ? 'M4 2l9 6-9 6z' : 'M4 2h3v12H4zM9 2h3v12H9z'} fill="currentColor" />
          </svg>
        </button>
        <button
          type="button"
          class="tool"
          aria-label={`Theme: ${theme.value}`}
          title={`Theme: ${theme.value} (t)`}
          onClick={switchTheme}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.5" />
            {theme.value !== 'light' && (
              <path
                d={theme.value === 'dark' ? 'M8 2a6 6 0 010 12 6 6 0 010-12z' : 'M8 2a6 6 0 010 12z'}
                fill="currentColor"
              />
            )}
          </svg>
        </button>
        <button
          type="button"
          class="tool"
          aria-label="Keys and words"
          title="Keys and words (?)"
          onClick={() => {
            isHelpOpen.value = true;
          }}
        >
          ?
        </button>
      </div>
    </header>
  );
}

function ProcessFacts(): JSX.Element | null {
  const now = snapshot.value;
  if (now === null) return null;
  const { name, pid, cpu, rssBytes, eventLoopLagMs, startedAt } = now.process;
  return (
    <div class="facts">
      <span>
        <b>{name}</b> {pid}
      </span>
      <span>
        up <b>{duration(now.at - startedAt)}</b>
      </span>
      <span>
        CPU <b>{percent(cpu, 1)}</b>
      </span>
      <span>
        RSS <b>{bytes(rssBytes)}</b>
      </span>
      <span>
        loop <b>{duration(eventLoopLagMs)}</b>
      </span>
    </div>
  );
}

const connections: Readonly<Record<Connection, readonly [Health, string]>> = {
  connecting: ['warning', 'connecting'],
  live: ['ok', 'live'],
  lost: ['error', 'lost'],
  refused: ['error', 'refused'],
  outdated: ['error', 'outdated'],
};

function ConnectionMark(): JSX.Element {
  const [health, word] = isPaused.value ? (['warning', 'paused'] as const) : connections[connection.value];
  return (
    <span class="connection dim" role="status">
      <Dot health={health} /> {word}
    </span>
  );
}

/** What to do about a connection that is not there. What the page shows is then of the past. */
function ConnectionNotice(): JSX.Element | null {
  const last = snapshot.value === null ? '' : ' The page shows the last state that it got.';
  switch (connection.value) {
    case 'live':
    case 'connecting':
      return null;
    case 'lost':
      return <p class="notice bad-text">The connection with the process is lost; the browser tries again.{last}</p>;
    case 'refused':
      return (
        <p class="notice bad-text">
          The process refuses the connection: too many pages are open, or the address lacks the token that the process
          printed.{last}{' '}
          <button type="button" class="link" onClick={connect}>
            Try again
          </button>
        </p>
      );
    case 'outdated':
      return (
        <p class="notice bad-text">
          The process is of another version than this page.{' '}
          <button type="button" class="link" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      );
  }
}

/** How many problems are shown before the reader asks for all. */
const shownProblems = 5;

/** What looks wrong now, in every view, where it is seen without scrolling. */
function Problems(): JSX.Element | null {
  const now = snapshot.value;
  if (now === null) return null;
  const { problems } = now;
  return (
    <section class="problems" aria-label="Problems">
      {problems.length === 0 ? (
        <p class="all-well">
          <Dot health="ok" /> No problem found.
        </p>
      ) : (
        <ul>
          {problems.slice(0, shownProblems).map((problem) => (
            <ProblemLine key={problem.id} problem={problem} now={now.at} />
          ))}
          {problems.length > shownProblems && (
            <li class="fold">
              <details>
                <summary>{problems.length - shownProblems} more</summary>
                <ul>
                  {problems.slice(shownProblems).map((problem) => (
                    <ProblemLine key={problem.id} problem={problem} now={now.at} />
                  ))}
                </ul>
              </details>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function ProblemLine({ problem, now }: { readonly problem: Problem; readonly now: number }): JSX.Element {
  const { severity, title, detail, hint, since, stage } = problem;
  const href = stage?.startsWith('controller/')
    ? hashOf('controllers', { stage })
    : hashOf('picture', { stage: stage ?? '' });
  return (
    <li class={severity === 'error' ? 'bad' : 'warn'} title={hint} data-problem={problem.kind}>
      <Dot health={severity} />
      <a href={href} data-row>
        <b>{title}</b>
      </a>
      <span class="cut dim">{[detail, hint].filter((text) => text !== '').join(' · ')}</span>
      <span class="dim since">{ago(since, now)}</span>
    </li>
  );
}

const glossary: readonly (readonly [string, string])[] = [
  ['rate', 'events, calls, adds, runs or requests in the last second'],
  ['depth', 'what waits in a stage, or is in progress'],
  ['lag', 'the longest delay that something had in the last second'],
  ['errors', 'since the recording began; red if there was one in the last second'],
  ['staleness', 'the time since a cache was last known to be up to date; 0 while its watch is open'],
  ['echo', "a controller's own write, when it comes back through the watch"],
];

function Help(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const recording = snapshot.value?.recording;
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-label="Keys and words"
      onClose={() => {
        isHelpOpen.value = false;
      }}
    >
      <h2>Keys</h2>
      <dl>
        {shortcuts.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <h2>Words</h2>
      <dl>
        {glossary.map(([word, meaning]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="dim">
        The process records while a page is open
        {recording !== undefined &&
          `, and for ${duration(recording.lingerMs)} after the last one was closed; ${recording.viewers} open now`}
        . Rates and timelines begin with the recording. Values of Secrets do not leave the process.
      </p>
      <button type="button" class="tool" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
