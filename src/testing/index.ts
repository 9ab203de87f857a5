/** `kubeflect/testing`: a clock and a list-watch source that a test controls, and worlds for tests of controllers. */
export type { RefTimer, Timer, TimerOptions } from '../time/clock.js';
export { FakeClock, type FakeClockOptions } from '../time/fake-clock.js';
export { FakeControllerSource, type FakeControllerSourceOptions } from './fake-controller-source.js';
export { explore } from './world/explore.js';
export type { Run, World, WorldOptions } from './world/types.js';
export { createWorld } from './world/world.js';
