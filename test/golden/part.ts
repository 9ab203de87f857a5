import { readFileSync } from 'node:fs';
import type { ApiServerOptions } from '../../src/apiserver/index.js';
import type { Wire } from '../conformance/http.js';

/** A value of a recorded answer. */
// biome-ignore lint/suspicious/noExplicitAny: the recorded documents have no type
export type Json = any;

/** A recorded case. What it holds depends on its part. */
export interface GoldenCase {
  readonly id: string;
  readonly [field: string]: Json;
}

/** One part of the recorded answers of kube-apiserver: its cases and the way to replay them. */
export interface Part {
  readonly name: string;
  /** Options of the embedded server, and feature gates of a real one, beyond those of every part. */
  readonly shardedLists?: true;
  readonly workloads?: ApiServerOptions['workloads'];
  /** Runs once, before the first case. */
  readonly prepare?: (replay: Replay) => Promise<void>;
  /** Replays a case; adds each difference from the recorded answer to `replay`. */
  readonly run: (replay: Replay, recorded: GoldenCase) => Promise<void>;
}

/** The cases of a part, as recorded. */
export function recordedCases(part: string): readonly GoldenCase[] {
  const file = new URL(`./data/${part}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { cases: GoldenCase[] }).cases;
}

/** Sends the requests of cases and collects the differences of the case that runs. */
export interface Replay {
  readonly wire: Wire;
  request(request: RecordedRequest): Promise<Reply>;
  /** Creates an object that a case needs; throws if the server refuses it. */
  create(path: string, body: Json): Promise<Json>;
  /** Deletes an object with whatever holds it back, and waits until it is gone. */
  remove(path: string): Promise<void>;
  /** Compares a value with a recorded one, after replacing what differs from run to run. */
  same(what: string, actual: Json, recorded: Json): void;
  differs(what: string): void;
}

/** A request as the cases write it. */
export interface RecordedRequest {
  readonly method?: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly userAgent?: string;
  /** An object is sent as JSON, a text as it is, `{ base64 }` as those bytes. */
  readonly body?: Json;
}

export interface Reply {
  readonly code: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The texts of the Warning headers. */
  readonly warnings: readonly string[];
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON, or undefined if it is none. */
  readonly json: Json;
}
