/** `kubeflect/testing`: a clock and a list-watch source that a test controls. */
export type { RefTimer, Timer, TimerOptions } from '../time/clock.js';
export { FakeClock, type FakeClockOptions } from '../time/fake-clock.js';
export { FakeControllerSource, type FakeControllerSourceOptions } from './fake-controller-source.js';
