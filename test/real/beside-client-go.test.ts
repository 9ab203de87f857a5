import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channels, listen } from '../../src/observe/channels.js';
import { eventually } from '../support/eventually.js';
import { GoInformerProgram } from './go-informer.js';
import { InformerRig } from './informer-rig.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

/** One call of a handler: type, key, uid and resourceVersion. */
interface Line {
  readonly type: string;
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly finalStateKnown: boolean;
}

let server: RealApiServer;
let program: GoInformerProgram;
beforeAll(async () => {
  [server, program] = await Promise.all([startRealApiServer(), GoInformerProgram.build()]);
});
afterAll(async () => {
  await server?.stop();
  await program?.[Symbol.asyncDispose]();
});

/** The calls up to and including the object of this name, which is removed from the journal. */
function takeUntil(journal: Line[], name: string): Line[] {
  return journal.splice(0, journal.findIndex(({ key }) => key.endsWith(`/${name}`)) + 1);
}

/** The states of each object, in order: uid and resourceVersion. */
function statesOf(lines: readonly Line[]): Map<string, string[]> {
  const states = new Map<string, string[]>();
  for (const { type, key, uid, resourceVersion } of lines) {
    if (type !== 'delete') states.set(key, [...(states.get(key) ?? []), `${uid} ${resourceVersion}`]);
  }
  return states;
}

/** The resourceVersions of objects that were not deleted. */
function left(lines: readonly Line[]): Record<string, string> {
  const versions = new Map<string, string>();
  for (const { type, key, resourceVersion } of lines) {
    if (type === 'delete') versions.delete(key);
    else versions.set(key, resourceVersion);
  }
  return Object.fromEntries([...versions].sort());
}

describe('an informer and one of client-go, on the same server with the same changes', () => {
  it('make the same calls in the same order, except states that a list skips', async () => {
    await using rig = await InformerRig.start(server);
    const { factory, namespace, maps } = rig;
    await rig.churn(30);
    const ours: Line[] = [];
    const informer = rig.observe(factory.core.v1.configMaps());
    informer.subscribe((event) => {
      const { type, key, facts } = event;
      // client-go also calls handlers for objects that a list finds unchanged: no new state.
      const finalStateKnown = event.type !== 'delete' || event.finalStateKnown;
      if (event.type === 'update' && event.isResync) return;
      ours.push({ type, key, uid: facts.uid, resourceVersion: facts.resourceVersion, finalStateKnown });
    });
    await rig.sync();
    const theirs: Line[] = [];
    const last = new Map<string, string>();
    let synced = false;
    const child = program.run(['-json', '-namespace', namespace, server.kubeconfigPath], (text) => {
      const line: Line = JSON.parse(text);
      if (line.type === 'synced') synced = true;
      else if (line.type === 'delete' || last.get(line.key) !== line.resourceVersion) theirs.push(line);
      if (line.type === 'delete') last.delete(line.key);
      else last.set(line.key, line.resourceVersion);
    });
    try {
      await eventually('client-go has synced', () => synced);
      const byKey = (a: Line, b: Line) => (a.key < b.key ? -1 : 1);
      await eventually('the initial list is told', () => ours.length === theirs.length);
      expect(ours.splice(0).sort(byKey)).toEqual(theirs.splice(0).sort(byKey));

      /** Waits until both have made all calls before an object of this name. */
      const mark = async (name: string) => {
        await maps.create({ metadata: { name } });
        const isTold = (journal: Line[]) => journal.some(({ key }) => key.endsWith(`/${name}`));
        await eventually(`${name} is told by both`, () => isTold(ours) && isTold(theirs));
        return { our: takeUntil(ours, name), their: takeUntil(theirs, name) };
      };

      await rig.churn(300, 30);
      const quiet = await mark('quiet');
      expect(quiet.our).toEqual(quiet.their);
      expect(quiet.our.length).toBeGreaterThan(300);

      let lists = 0;
      const undo = listen(channels.reflectorList, () => lists++);
      const load = rig.churn(300, 330);
      await eventually('the load has begun', () => ours.length > 20);
      await server.kill();
      await server.start();
      await load;
      await rig.churn(50, 630);
      const outage = await mark('outage');
      // An informer of client-go that lists late makes the calls for that list in any order, so some may follow the mark.
      await eventually('both know the same objects', () => {
        outage.our.push(...ours.splice(0));
        outage.their.push(...theirs.splice(0));
        return isDeepStrictEqual(left(outage.our), left(outage.their));
      });
      undo();
      const [our, their] = [statesOf(outage.our), statesOf(outage.their)];
      for (const [key, states] of our) {
        const shared = states.filter((state) => their.get(key)?.includes(state));
        expect(their.get(key)?.filter((state) => states.includes(state)) ?? []).toEqual(shared);
      }
      // Without a list no state may be missing.
      if (lists === 0) for (const [key, states] of their) expect(our.get(key)).toEqual(expect.arrayContaining(states));

      await rig.churn(300, 680);
      const after = await mark('after');
      expect(after.our).toEqual(after.their);
      await rig.check();
    } finally {
      child.kill();
    }
  });
});
