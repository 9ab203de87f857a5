import fc from 'fast-check';
import { expect, it } from 'vitest';
import { controllerRig, widgets } from '../../test/support/controller-rig.js';
import { runs } from '../../test/support/runs.js';
import type { FaultMatch } from '../apiserver/index.js';
import { resources } from '../index.js';

const { configMaps } = resources.core.v1;

const step = fc.oneof(
  fc.record({ what: fc.constant('spec' as const), ms: fc.nat(50) }),
  fc.record({ what: fc.constantFrom('label', 'status', 'owned', 'unowned', 'enqueue', 'wait', 'fail') }),
  fc.record({ what: fc.constantFrom('late', 'lost', 'relist'), resource: fc.constantFrom('widgets', 'configmaps') }),
  fc.record({ what: fc.constant('forget' as const) }),
);

it('whatever is changed, late, lost or listed again: every change is seen, own writes are seen, and it comes to rest', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.nat(1000), async (steps, seed) => {
      const rig = await controllerRig({ seed });
      const { api, clock, client, create, widgets: own, start } = rig;
      try {
        await create('a', { size: 0 });
        let written = 0;
        let fails = false;
        const stale: string[] = [];
        const { instance, records } = start({
          name: 'widgets',
          for: widgets,
          owns: [configMaps],
          async reconcile({ metadata: { name }, spec, status }, { apply, owned, status: say }) {
            // Each run writes a larger number than the one before: one that is smaller is older than an own write.
            const seen = Number(owned(configMaps)[0]?.data?.['run'] ?? 0);
            if (owned(configMaps).length > 0 && seen < written) stale.push(`${seen} < ${written}`);
            if (status?.size !== undefined && status.size > (spec.size ?? 0)) stale.push('status of the future');
            const size = spec.size ?? 0;
            written = size;
            await apply(configMaps, { metadata: { name }, data: { run: `${size}` } });
            say({ size, note: `size ${size}` });
            if (fails) {
              fails = false;
              throw new Error('once');
            }
          },
          onError() {},
        });
        let size = 0;
        for (const one of steps) {
          const maps = client.core.v1.configMaps('default');
          if (one.what === 'spec') {
            await own.patch('a', { spec: { size: ++size } });
            await clock.advance(one.ms);
          } else if (one.what === 'label') await own.patch('a', { metadata: { labels: { n: `${clock.now()}` } } });
          else if (one.what === 'status') await own.patchStatus('a', { note: 'overwritten' });
          else if (one.what === 'owned') await maps.patch('a', { data: { foreign: 'x' } }).catch(() => {});
          else if (one.what === 'unowned') await maps.create({ metadata: { name: `m${clock.now()}` } }).catch(() => {});
          else if (one.what === 'enqueue') instance.enqueue('default/a');
          else if (one.what === 'wait') await clock.advance(200);
          else if (one.what === 'fail') fails = true;
          else if (one.what === 'forget') api.compact();
          else if ('resource' in one) {
            const { resource } = one;
            if (one.what === 'late') api.faults.inject({ verb: 'watch', resource, stallMs: 700 });
            // The answers of the controller only: the changes of the test itself must succeed.
            const when: FaultMatch['when'] = ({ info }) =>
              info.isResourceRequest && info.query.get('fieldManager')?.startsWith('manager-') === true;
            if (one.what === 'lost') api.faults.inject({ verb: 'patch', resource, reset: 'afterHeaders', when });
            if (one.what === 'relist') {
              api.compact();
              api.faults.inject({ verb: 'watch', resource, errorEvent: { status: 410 } });
            }
          }
        }
        await clock.advance(120_000);
        api.faults.clear();
        await clock.advance(120_000);
        const widget = await own.get('a');
        expect(widget.status).toEqual({ size, note: `size ${size}` });
        expect((await client.core.v1.configMaps('default').get('a')).data).toMatchObject({ run: `${size}` });
        expect(stale).toEqual([]);
        const before = records.length;
        await clock.advance(600_000);
        expect(records).toHaveLength(before);
        expect(instance.activity).toMatchObject({ queued: 0, stale: 0, running: 0, withoutWorker: 0 });
      } finally {
        await rig.stop();
      }
    }),
    { numRuns: runs(6) },
  );
});
