// @ts-check
import { buildKubectl, buildRealApiServer } from './build.mjs';
import { GoInformerProgram } from './go-informer.js';

/**
 * Builds the server and kubectl before any test or hook. A cold build of kube-apiserver takes minutes, and longer on
 * a loaded machine; here it has no timeout, and its progress is printed.
 */
export async function setup() {
  await buildRealApiServer();
  await buildKubectl();
  // The hooks build it again, from the cache of Go.
  const informer = await GoInformerProgram.build();
  await informer[Symbol.asyncDispose]();
}
