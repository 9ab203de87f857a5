import { describe, expect, it } from 'vitest';
import { handlerName } from './handler-name.js';

function enqueue(): void {}
function forget(): void {}
class PodHandler {
  onAdd(): void {}
}

describe('handlerName', () => {
  it('[S157] a handler has the name of its functions or its class', () => {
    expect(handlerName(enqueue)).toBe('enqueue');
    expect(handlerName(enqueue.bind(undefined))).toBe('enqueue');
    expect(handlerName({ onAdd: enqueue, onUpdate: enqueue })).toBe('enqueue');
    expect(handlerName({ onAdd: enqueue, onDelete: forget, name: 'no function' })).toBe('enqueue+forget');
    expect(handlerName(new PodHandler())).toBe('PodHandler');
    expect(handlerName({ onAdd: enqueue, onDelete: () => {} })).toBe('enqueue');
  });

  it('[S157] an anonymous handler has the fallback as its name', () => {
    expect(handlerName(() => {})).toBe('(anonymous)');
    expect(handlerName({ onAdd: () => {}, onDelete() {} }, 'main.ts:12')).toBe('main.ts:12');
    expect(handlerName(undefined)).toBe('(anonymous)');
    expect(handlerName(null, 'stranger')).toBe('stranger');
    expect(handlerName(Object.create(null))).toBe('(anonymous)');
  });
});
