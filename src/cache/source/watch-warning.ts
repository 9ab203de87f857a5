import { escapeTextControls } from '../../meta/escape-controls.js';

/** Emits a process warning of type `KubeflectWatchWarning`: what sources and reflectors report if no handler was given. */
export function warn(message: string): void {
  process.emitWarning(escapeTextControls(message), 'KubeflectWatchWarning');
}
