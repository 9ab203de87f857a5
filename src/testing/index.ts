export { FakeClock, type FakeClockOptions, type PendingTimer } from '../time/fake-clock.js';
