import type { Target } from '../target.js';
import { celTargets } from './cel.js';
import { fileTargets } from './files.js';
import { http1Targets } from './http1.js';
import { http2Targets } from './http2.js';
import { jsonTargets } from './json.js';
import { patchTargets } from './patches.js';
import { protobufTargets } from './protobuf.js';
import { recordingTargets } from './recordings.js';
import { regexpTargets } from './regexps.js';
import { reviewTargets } from './reviews.js';
import { scalarTargets } from './scalars.js';
import { selectorTargets } from './selectors.js';
import { serverTargets } from './server.js';
import { statusTargets } from './status.js';
import { streamTargets } from './streams.js';
import { yamlTargets } from './yaml.js';

/** Every target, in the order of the tables. A new parser of foreign bytes gets a target here. */
export const targets: readonly Target[] = [
  ...jsonTargets,
  ...protobufTargets,
  ...http1Targets,
  ...http2Targets,
  ...streamTargets,
  ...statusTargets,
  ...yamlTargets,
  ...selectorTargets,
  ...scalarTargets,
  ...regexpTargets,
  ...celTargets,
  ...patchTargets,
  ...reviewTargets,
  ...serverTargets,
  ...fileTargets,
  ...recordingTargets,
];
