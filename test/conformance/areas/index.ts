import type { Area } from '../area.js';
import { area as customResources } from './custom-resources.js';
import { area as get } from './get.js';
import { area as list } from './list.js';
import { area as paging } from './paging.js';
import { area as serverSideApply } from './server-side-apply.js';
import { area as watch } from './watch.js';
import { area as watchStart } from './watch-start.js';

/** Every area, in the order in which the suite runs them. One line each, so that two can be added side by side. */
export const areas: readonly Area[] = [get, list, paging, watch, watchStart, customResources, serverSideApply];
