import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../time/fake-clock.js';
import { Story } from './story.js';

const write = { verb: 'patch', resource: 'deployments.apps', key: 'default/shop' };

describe('the story of a world', () => {
  it('has a virtual time and a sentence for each thing that happens, and numbers writes', async () => {
    const clock = new FakeClock();
    const story = new Story(clock);
    story.isOpen = true;
    story.sends('the scenario', { ...write, verb: 'create' });
    await clock.advance(1250);
    story.runBegins('manager 0', {
      what: 'reconcile',
      key: 'default/shop',
      controller: 'sites',
      causes: ['deployments add'],
    });
    story.answers(story.sends('manager 0', write), 409);
    story.disturb('manager 0 crashes');
    story.fail('it is broken');
    expect(story.text).toEqual([
      '    0.000 s  1. the scenario creates deployments.apps default/shop',
      '    1.250 s     manager 0 begins to reconcile default/shop (sites), because of deployments add',
      '    1.250 s  2. manager 0 patches deployments.apps default/shop',
      '    1.250 s     the server answers 409 to write 2',
      '    1.250 s   ⚡ manager 0 crashes',
      '    1.250 s   ✗ it is broken',
    ]);
    expect(story.writes).toBe(2);
  });

  it('leaves out Leases and events, and what happens before it begins', () => {
    const story = new Story(new FakeClock());
    expect(story.sends('manager 0', write)).toBeUndefined();
    story.isOpen = true;
    expect(story.sends('manager 0', { ...write, resource: 'leases.coordination.k8s.io' })).toBeUndefined();
    expect(story.sends('manager 0', { ...write, resource: 'events' })).toBeUndefined();
    expect(story.text).toEqual([]);
  });

  it('is cut in an error to what is around the disturbances', () => {
    const story = new Story(new FakeClock());
    story.isOpen = true;
    for (let i = 0; i < 30; i++) story.tell(`before ${i}`);
    story.disturb('here');
    for (let i = 0; i < 40; i++) story.tell(`after ${i}`);
    const { excerpt } = story;
    expect(excerpt[0]).toContain('… 10 lines more');
    expect(excerpt[1]).toContain('before 10');
    expect(excerpt.find((line) => line.includes('⚡'))).toContain('here');
    expect(excerpt.at(-2)).toContain('after 24');
    expect(excerpt.at(-1)).toContain('… 15 lines more');
  });
});
