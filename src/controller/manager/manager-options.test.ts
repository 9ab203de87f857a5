import { describe, expect, it } from 'vitest';
import { resources } from '../../index.js';
import { createController } from '../controller.js';
import { checkManagerOptions } from './manager-options.js';

const controller = createController({ name: 'c', for: resources.core.v1.configMaps, reconcile() {} });
const check = (port: number) =>
  checkManagerOptions('createManager', { name: 'm', controllers: [controller], webhookServer: { port } });

describe('the port of the webhook server', () => {
  it.each([0, 1, 65_535])('may be %s', (port) => {
    expect(() => check(port)).not.toThrow();
  });

  it.each([-1, 65_536, 1.5])('may not be %s', (port) => {
    expect(() => check(port)).toThrow(/webhookServer\.port must be/);
  });
});
