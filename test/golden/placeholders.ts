import type { Json } from './part.js';

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const microTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
const httpTime = /(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d (GMT|UTC)/g;
const versionInText = /(resourceVersion\\*"?: ?\\*")\d+/g;
const versionInRecord = /(ResourceVersion in record \()\d+/g;
const generatedName = /\bgen-[a-z0-9]{5}\b/g;
/** The case of many equal rules, of which the server names some. */
const anyProperty = /properties\[v\d\]\.items\.items/g;
const hash = /[0-9A-F]{128}/g;
const clusterAddress = /\b10\.0\.\d+\.\d+\b/g;
/** An age as Tables print it. */
const age = /^(\d+[smhdy])+$/;
const ageAgo = /\((\d+[smhdy])+ ago\)/g;
/** The part of a Pod's message that prints a difference of Go structs. */
const goDiff = /\n@@ -[\s\S]*$/;
/** A value of a cause that is a Go struct with exported field names. */
const goStruct = /Invalid value: \{"[A-Z][\s\S]*?\}: /g;

/** Replaces what differs from run to run in a text: uids, times, versions, addresses. */
export function maskText(text: string): string {
  return text
    .replace(goDiff, '\n<difference>')
    .replace(goStruct, 'Invalid value: <struct>: ')
    .replace(uid, '<uid>')
    .replace(microTime, '<microtime>')
    .replace(time, '<time>')
    .replace(httpTime, '<time>')
    .replace(versionInText, '$1<version>')
    .replace(versionInRecord, '$1<version>')
    .replace(generatedName, 'gen-<random>')
    .replace(anyProperty, 'properties[<v>].items.items')
    .replace(hash, '<hash>')
    .replace(ageAgo, '(<age> ago)')
    .replace(clusterAddress, '<ip>');
}

/** A copy of a document in which everything that differs from run to run is a placeholder. */
export function mask(value: Json, key = ''): Json {
  if (typeof value === 'string') {
    if (key === 'resourceVersion' && /^\d+$/.test(value)) return '<version>';
    if (key === 'uid') return '<uid>';
    if (key === 'continue') return '<continue>';
    if (key === 'clusterIP' && value.includes('.')) return '<ip>';
    if (key === 'cells' && age.test(value)) return '<age>';
    return maskText(value);
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => mask(item, key));
    return key === 'causes' ? items.sort((a, b) => text(a).localeCompare(text(b))) : items;
  }
  if (value === null || typeof value !== 'object') return value;
  return withCausesInMessage(
    Object.fromEntries(Object.entries(value).map(([name, field]) => [maskText(name), mask(field, name)])),
  );
}

/** Sorts the faults in the message of a Status as its causes are sorted, because both come in any order. */
function withCausesInMessage(status: Json): Json {
  const causes: Json[] = status.details?.causes ?? [];
  if (status.kind !== 'Status' || causes.length < 2 || typeof status.message !== 'string') return status;
  const list = status.message.indexOf(' is invalid: [');
  if (list < 0) return status;
  const faults = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const said = status.message.slice(list + ' is invalid: ['.length, -1);
  const complete = said.length === faults.join(', ').length && faults.every((fault) => said.includes(fault));
  return complete ? { ...status, message: `${status.message.slice(0, list)} is invalid: <causes>` } : status;
}

/** Where two documents differ, one line each: path, recorded value, actual value. */
export function differences(actual: Json, recorded: Json, path = ''): string[] {
  if (isMap(actual) && isMap(recorded)) {
    const names = new Set([...Object.keys(recorded), ...Object.keys(actual)]);
    return [...names].flatMap((name) => differences(actual[name], recorded[name], `${path}/${name}`));
  }
  if (Array.isArray(actual) && Array.isArray(recorded)) {
    const length = Math.max(actual.length, recorded.length);
    return Array.from({ length }).flatMap((_, i) => differences(actual[i], recorded[i], `${path}/${i}`));
  }
  return text(actual) === text(recorded)
    ? []
    : [`${path}\n    recorded ${text(recorded)}\n    answered ${text(actual)}`];
}

function isMap(value: Json): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function text(value: Json): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
