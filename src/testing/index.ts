export { FakeClock, type FakeClockOptions, type PendingTimer } from '../time/fake-clock.js';
export {
  type FakeChangeOptions,
  FakeControllerSource,
  type FakeControllerSourceOptions,
} from './fake-controller-source.js';
