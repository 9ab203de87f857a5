/** The hash of the address decides what is shown, so that views can be linked and the back button works. */
import { type ReadonlySignal, signal } from '@preact/signals';

export const views = ['picture', 'object', 'controllers', 'memory'] as const;
export type ViewName = (typeof views)[number];

/** A view and what it shows, as `#/object?informer=pods&key=default%2Fweb`. */
export interface Route {
  readonly view: ViewName;
  readonly parameters: Readonly<Record<string, string>>;
}

const current = signal<Route>({ view: 'picture', parameters: {} });

/** What the address asks for now. */
export const route: ReadonlySignal<Route> = current;

/** Follows the address from now on. */
export function followAddress(): void {
  const read = () => {
    current.value = parseRoute(location.hash);
  };
  addEventListener('hashchange', read);
  read();
}

/** @internal The route of a hash; the first view if it names none. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const view = views.find((name) => name === path) ?? 'picture';
  return { view, parameters: Object.fromEntries(new URLSearchParams(query)) };
}

/** The hash of a route: what links have as `href`. */
export function hashOf(view: ViewName, parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `#/${view}${query === '' ? '' : `?${query}`}`;
}

/** Goes to a route. */
export function goTo(view: ViewName, parameters: Readonly<Record<string, string>> = {}): void {
  location.hash = hashOf(view, parameters);
}
