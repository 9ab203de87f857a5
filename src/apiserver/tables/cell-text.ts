import type { LabelSelector, StoredObjectMeta } from '../../meta/objects.js';
import { labelSelectorFromObject } from '../../meta/selectors/label-selector.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** The time since a timestamp, as a cell shows it: `95s`, `5m10s`, `3d4h`, `2y30d`. */
export function age(timestamp: string | null | undefined, now: number): string {
  if (timestamp === undefined || timestamp === null || timestamp === '') return '<unknown>';
  return duration(now - Date.parse(timestamp));
}

/** The age of an object. */
export function ageOf(object: { readonly metadata: Pick<StoredObjectMeta, 'creationTimestamp'> }, now: number): string {
  return age(object.metadata.creationTimestamp, now);
}

/** A duration: two units while the larger one is small, one of them afterwards. */
export function duration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 2 * MINUTE) return `${Math.max(0, seconds)}s`;
  if (seconds < 10 * MINUTE) return twoUnits(seconds, MINUTE, 'm', 1, 's');
  if (seconds < 3 * HOUR) return `${Math.trunc(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return twoUnits(seconds, HOUR, 'h', MINUTE, 'm');
  if (seconds < 2 * DAY) return `${Math.trunc(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return twoUnits(seconds, DAY, 'd', HOUR, 'h');
  if (seconds < 2 * YEAR) return `${Math.trunc(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return twoUnits(seconds, YEAR, 'y', DAY, 'd');
  return `${Math.trunc(seconds / YEAR)}y`;
}

function twoUnits(seconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.trunc((seconds % large) / small);
  return `${Math.trunc(seconds / large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}

/** `a=b,c=d` in the order of keys, or `<none>`. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}

/** A selector as `a=b,x in (1,2)`. */
export function selectorText(selector: LabelSelector | undefined, invalid: string): string {
  if (selector === undefined) return '';
  try {
    return labelSelectorFromObject(selector).toString();
  } catch {
    return invalid;
  }
}

/** A selector, or `<none>` if it is empty. */
export function selectorOrNone(selector: LabelSelector | undefined): string {
  return selectorText(selector, '<error>') || '<none>';
}

/** The first items of a list, and how many there are besides: `a,b,c + 1 more...`. */
export function firstOf(items: readonly string[], most: number, separator = ','): string {
  const first = items.slice(0, most).join(separator);
  return items.length > most ? `${first} + ${items.length - most} more...` : first;
}

/** The names and the images of containers. */
export function containerCells(
  template:
    | { readonly spec?: { readonly containers?: readonly { name: string; image?: string | undefined }[] } | undefined }
    | undefined,
): [names: string, images: string] {
  const containers = template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image }) => image ?? '').join(',')];
}

/** The status of a condition; undefined if there is none of that type. */
export function conditionStatus(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): string | undefined {
  return conditions?.find((condition) => condition.type === type)?.status;
}
