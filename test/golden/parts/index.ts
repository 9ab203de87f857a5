import type { Part } from '../part.js';
import { apply } from './apply.js';
import { controllers } from './controllers.js';
import { crd, crdDefinitions } from './custom.js';
import { defaults, invalid, updates } from './kinds.js';
import { openapi } from './openapi.js';
import { shards } from './shards.js';
import { strict } from './strict.js';
import { tables } from './tables.js';
import { wire } from './wire.js';

export const parts: readonly Part[] = [
  defaults,
  invalid,
  updates,
  apply,
  crd,
  crdDefinitions,
  strict,
  wire,
  tables,
  openapi,
  shards,
  controllers,
];
