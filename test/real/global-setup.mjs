// @ts-check
import { buildRealApiServer } from './build.mjs';
import { GoInformerProgram } from './go-informer.js';

/**
 * Builds what the suite runs before any test or hook has begun. A cold build of kube-apiserver takes minutes, and many more on
 * a loaded machine; here no clock runs, and its progress is printed.
 */
export async function setup() {
  await buildRealApiServer();
  // The hooks build it again, from Go's cache.
  const informer = await GoInformerProgram.build();
  await informer[Symbol.asyncDispose]();
}
