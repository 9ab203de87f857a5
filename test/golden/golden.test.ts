import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.js';
import { Wire } from '../conformance/http.js';
import { startRealApiServer } from '../real/real-api-server.mjs';
import { type Part, recordedCases } from './part.js';
import { parts } from './parts/index.js';
import { type Outcome, replayPart } from './replay.js';

/* run.mjs turns its arguments into these variables. */
const { GOLDEN_PART, GOLDEN_SHOW, GOLDEN_REAL, GOLDEN_WRITE } = process.env;

describe('recorded answers of kube-apiserver', () => {
  let report = '';
  const chosen = parts.filter(({ name }) => GOLDEN_PART === undefined || name === GOLDEN_PART);
  afterAll(() => process.stdout.write(`\nRecorded answers of kube-apiserver\n${report}`));

  it.each(chosen)('of the part $name are repeated, except those in its list', async (part) => {
    const outcomes = await replay(part);
    const failing = outcomes.filter((one) => one.differences.length > 0);
    report += `  ${part.name.padEnd(16)} ${outcomes.length - failing.length} of ${outcomes.length}\n`;
    if (GOLDEN_SHOW !== undefined) {
      for (const { id, differences } of failing) report += `\n${part.name}: ${id}\n  ${differences.join('\n  ')}\n`;
      return;
    }
    const ids = failing.map((one) => one.id);
    if (GOLDEN_WRITE !== undefined) writeFileSync(listOf(part), `${JSON.stringify(ids, undefined, 2)}\n`);
    const expected = JSON.parse(readFileSync(listOf(part), 'utf8')) as string[];
    const differences = failing
      .filter(({ id }) => !expected.includes(id))
      .map((one) => `${one.id}\n  ${one.differences.join('\n  ')}`);
    expect(differences, 'cases that fail and are not in the list of expected failures').toEqual([]);
    const passing = expected.filter((id) => !ids.includes(id));
    expect(passing, 'cases in the list of expected failures that pass: remove them from it').toEqual([]);
  });

  it.each(parts)('of the part $name have ids that differ, and its list names only such ids', (part) => {
    const ids = recordedCases(part.name).map((one) => one.id);
    expect(new Set(ids).size).toBe(ids.length);
    const expected = JSON.parse(readFileSync(listOf(part), 'utf8')) as string[];
    expect(expected.filter((id) => !ids.includes(id))).toEqual([]);
  });
});

async function replay(part: Part): Promise<Outcome[]> {
  const only = GOLDEN_SHOW === '' ? undefined : GOLDEN_SHOW;
  if (GOLDEN_REAL !== undefined) {
    const gates = part.shardedLists === true ? { ShardedListAndWatch: true } : {};
    const flags = ['--disable-admission-plugins=ServiceAccount'];
    await using server = await startRealApiServer({ featureGates: gates, flags });
    return await replayOn(part, { url: server.url, token: server.adminToken }, only);
  }
  await using server = await startApiServer({
    controllers: ['system-namespaces'],
    shardedLists: part.shardedLists === true,
    workloads: part.workloads,
  });
  return await replayOn(part, { url: server.url, token: '' }, only);
}

async function replayOn(part: Part, server: { url: string; token: string }, only?: string): Promise<Outcome[]> {
  const wire = new Wire({ name: part.name, ...server });
  try {
    return await replayPart(part, wire, only);
  } finally {
    wire.close();
  }
}

function listOf(part: Part): URL {
  return new URL(`./expected-failures/${part.name}.json`, import.meta.url);
}
