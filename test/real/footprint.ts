import { readdirSync } from 'node:fs';

/** What the process holds at one time. */
export interface Footprint {
  readonly rssMb: number;
  /** After a garbage collection, if `gc` is exposed. */
  readonly heapMb: number;
  readonly buffersMb: number;
  readonly timers: number;
  /** Sockets, servers, files and whatever else keeps the event loop busy. */
  readonly handles: number;
  readonly fileDescriptors: number;
}

/** How much more a process may hold after a run: connections that are idle, and code that was compiled. */
const ALLOWED: Partial<Record<keyof Footprint, number>> = {
  heapMb: 16,
  buffersMb: 16,
  timers: 6,
  handles: 6,
  fileDescriptors: 8,
};

export function footprint(): Footprint {
  globalThis.gc?.();
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  const mb = (bytes: number): number => Math.round(bytes / 1024 / 1024);
  const resources = process.getActiveResourcesInfo();
  const timers = resources.filter((name) => name === 'Timeout').length;
  return {
    rssMb: mb(rss),
    heapMb: mb(heapUsed),
    buffersMb: mb(arrayBuffers),
    timers,
    handles: resources.length - timers,
    fileDescriptors: readdirSync('/proc/self/fd').length,
  };
}

/** What grew between two footprints by more than a run may leave. */
export function growthOf(first: Footprint, last: Footprint): string[] {
  return Object.entries(ALLOWED)
    .filter(([name, allowed]) => last[name as keyof Footprint] > first[name as keyof Footprint] + allowed)
    .map(([name]) => `${name}: ${first[name as keyof Footprint]} before, ${last[name as keyof Footprint]} after`);
}
