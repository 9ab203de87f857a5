import { readFileSync } from 'node:fs';
import { areas } from './areas/index.js';
import { describeConformance } from './harness.js';

/* Entry of `npm run conformance`: run.mjs turns its arguments into these variables. */
const { CONFORMANCE_URL, CONFORMANCE_TOKEN, CONFORMANCE_CA, CONFORMANCE_AREAS } = process.env;
if (CONFORMANCE_URL === undefined) throw new Error('CONFORMANCE_URL is not set: use npm run conformance -- --url …');

const chosen = CONFORMANCE_AREAS?.split(',');
const unknown = chosen?.filter((name) => !areas.some((area) => area.name === name)) ?? [];
if (unknown.length > 0) {
  throw new Error(`no area is called ${unknown.join(', ')}; there are ${areas.map((area) => area.name).join(', ')}`);
}

describeConformance(
  {
    name: CONFORMANCE_URL,
    url: CONFORMANCE_URL,
    token: CONFORMANCE_TOKEN ?? '',
    ca: CONFORMANCE_CA === undefined ? undefined : readFileSync(CONFORMANCE_CA, 'utf8'),
  },
  areas.filter((area) => chosen?.includes(area.name) ?? true),
);
