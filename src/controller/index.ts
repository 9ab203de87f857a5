/** `kubeflect/controller`: controllers, from a kind to a running operator. */
export { createController } from './controller.js';
export type {
  ApplyTo,
  CacheOptions,
  Controller,
  ControllerContext,
  ControllerOptions,
  ControllerWatch,
  ControllerWatchOptions,
  Result,
  RunningController,
} from './types.js';
