/** The keys of the page. The table is also what the help shows. */
import { signal } from '@preact/signals';
import { isPaused } from './feed.js';
import { goTo, route, views } from './route.js';
import { switchTheme } from './theme.js';

interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
  readonly run: (key: string) => void;
}

/** Whether the help is open. */
export const isHelpOpen = signal(false);

/** The id of the field that `/` goes to. */
export const searchFieldId = 'search';

export const shortcuts: readonly Shortcut[] = [
  {
    keys: ['1', '2', '3', '4'],
    does: 'picture, object, controllers, memory',
    run: (key) => goTo(views[Number(key) - 1]!),
  },
  { keys: ['/'], does: 'search an object', run: search },
  { keys: ['j', 'k'], does: 'next row, previous row; Enter opens it', run: (key) => moveFocus(key === 'j' ? 1 : -1) },
  {
    keys: ['p'],
    does: 'pause the display, and go on',
    run: () => {
      isPaused.value = !isPaused.value;
    },
  },
  { keys: ['t'], does: 'theme: system, light, dark', run: switchTheme },
  {
    keys: ['?'],
    does: 'this help',
    run: () => {
      isHelpOpen.value = !isHelpOpen.value;
    },
  },
  { keys: ['Escape'], does: 'close the help, leave the search field', run: leave },
];

/** Listens for the keys from now on. */
export function followKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== 'Escape' && isTyping(event.target)) return;
    const shortcut = shortcuts.find(({ keys }) => keys.includes(event.key));
    if (shortcut === undefined) return;
    event.preventDefault();
    shortcut.run(event.key);
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}

function search(): void {
  if (route.value.view !== 'object') goTo('object');
  // The view may have to be drawn first.
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(searchFieldId)?.focus()));
}

function leave(): void {
  isHelpOpen.value = false;
  if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
}

/** Moves the focus among the rows of the view: the elements with `data-row`. */
function moveFocus(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? (step === 1 ? 0 : rows.length - 1) : at + step;
  rows[Math.min(rows.length - 1, Math.max(0, next))]?.focus();
}
