import { timestamp } from '../../time/timestamps.js';
import { accessTables } from './access.js';
import { ageOf } from './cell-text.js';
import { clusterTables } from './cluster.js';
import { AGE, kindTable, NAME, text } from './columns.js';
import type { KindTable } from './kind-table.js';
import { networkTables } from './networks.js';
import { storageTables } from './storage-kinds.js';
import { workloadTables } from './workloads.js';

interface Named {
  readonly metadata: { readonly name?: string; readonly creationTimestamp?: string | undefined };
}

const TABLES: Readonly<Record<string, KindTable>> = {
  ...workloadTables,
  ...networkTables,
  ...storageTables,
  ...clusterTables,
  ...accessTables,
};

/** The time that Go prints for one that is not set. */
const ZERO_TIME = '0001-01-01T00:00:00Z';

const defaultTable: KindTable = {
  ...kindTable<Named>([NAME, text('Created At', '', { type: 'date' })], ({ metadata }) => [
    metadata.name ?? '',
    metadata.creationTimestamp === undefined ? ZERO_TIME : timestamp(Date.parse(metadata.creationTimestamp)),
  ]),
  isDefault: true,
};

const customTable: KindTable = kindTable<Named>([NAME, AGE], (object, now) => [
  object.metadata.name ?? '',
  ageOf({ metadata: { creationTimestamp: object.metadata.creationTimestamp ?? '' } }, now),
]);

/** The table of a resource: its own, that of its kind, or that of all other kinds. */
export function tableOf(resource: {
  readonly group: string;
  readonly kind: string;
  readonly isCustom: boolean;
  readonly table?: KindTable | undefined;
}): KindTable {
  if (resource.table !== undefined) return resource.table;
  return resource.isCustom ? customTable : (TABLES[`${resource.group}/${resource.kind}`] ?? defaultTable);
}
