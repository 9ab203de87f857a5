import type { DeepReadonly } from '../../index.js';
import type { Lease } from '../../resources/types/coordination-v1.js';

/** How objects are divided: all replicas that share the work agree on it. */
export interface ShardLayout {
  readonly shards: number;
  readonly by: 'uid' | 'namespace';
}

/**
 * A time during which a replica renews its Lease without interruption: `<name of the Lease>#<number>`. A session that has ended
 * never begins again; the replica then begins the next one.
 */
export type Session = string;

/** What a replica says of itself, in the annotation of its Lease. */
export interface MemberRecord {
  readonly session: Session;
  readonly layout: ShardLayout;
  /** How long other replicas do not take its shards after its Lease has changed. */
  readonly leaseDurationMs: number;
  /** Whether it has run for `rebalanceAfterMs`. */
  readonly isEstablished: boolean;
  /** Whether it is about to stop: it gives its shards away and takes none. */
  readonly isLeaving: boolean;
  /** The shards that it holds. */
  readonly held: readonly number[];
  /** Other shards whose objects its caches have: it can take them over at once. */
  readonly ready: readonly number[];
}

/** Which session holds which shard, in the annotation of the Lease that all replicas share. */
export interface Assignment {
  readonly layout: ShardLayout;
  /** By shard; undefined if no session holds it. */
  readonly holders: readonly (Session | undefined)[];
}

/** On the Leases of a manager that shards; its value is the name of the manager. */
export const SHARD_LABEL = 'kubeflect.dev/shards-of';
const MEMBER_ANNOTATION = 'kubeflect.dev/shard-member';
const ASSIGNMENT_ANNOTATION = 'kubeflect.dev/shard-assignment';
/** More than any sensible number of replicas; a text that claims more is not read. */
const MOST_SHARDS = 256;

export function sessionOf(lease: string, number: number): Session {
  return `${lease}#${number}`;
}

export function leaseOf(session: Session): string {
  return session.slice(0, session.lastIndexOf('#'));
}

/** Of two sessions with the same Lease, the one with the higher number is the later one. */
export function numberOf(session: Session): number {
  return Number(session.slice(session.lastIndexOf('#') + 1));
}

export function isSameLayout(a: ShardLayout, b: ShardLayout): boolean {
  return a.shards === b.shards && a.by === b.by;
}

export function emptyAssignment(layout: ShardLayout): Assignment {
  return { layout, holders: Array.from({ length: layout.shards }, () => undefined) };
}

// ── as annotations ───────────────────────────────────────────────────────────────────────────────────────────────────

export function memberAnnotations(record: MemberRecord): Record<string, string> {
  const { session, layout, leaseDurationMs, isEstablished, isLeaving, held, ready } = record;
  const text = { session, ...layout, leaseDurationMs, isEstablished, isLeaving, held, ready };
  return { [MEMBER_ANNOTATION]: JSON.stringify(text) };
}

/** The record of a replica's Lease; undefined for a Lease that has none, or one that cannot be read. */
export function readMember(lease: DeepReadonly<Lease>): MemberRecord | undefined {
  const value = jsonOf(lease, MEMBER_ANNOTATION);
  const layout = layoutIn(value);
  if (value === undefined || layout === undefined) return undefined;
  const { session, leaseDurationMs, isEstablished, isLeaving, held, ready } = value;
  if (typeof session !== 'string' || leaseOf(session) !== lease.metadata.name) return undefined;
  if (typeof leaseDurationMs !== 'number' || !(leaseDurationMs >= 0)) return undefined;
  return {
    session,
    layout,
    leaseDurationMs,
    isEstablished: isEstablished === true,
    isLeaving: isLeaving === true,
    held: numbersIn(held),
    ready: numbersIn(ready),
  };
}

/** Each session is written once, and shards name it by its place in the list: the text stays short with many replicas. */
export function assignmentAnnotations({ layout, holders }: Assignment): Record<string, string> {
  const sessions = [...new Set(holders)].filter((holder) => holder !== undefined).sort();
  const places = new Map<Session | undefined, number>(sessions.map((session, i) => [session, i]));
  const text = { ...layout, sessions, holders: holders.map((holder) => places.get(holder) ?? -1) };
  return { [ASSIGNMENT_ANNOTATION]: JSON.stringify(text) };
}

/** The assignment in a Lease; undefined if it has none, or one that cannot be read. */
export function readAssignment(lease: DeepReadonly<Lease>): Assignment | undefined {
  const value = jsonOf(lease, ASSIGNMENT_ANNOTATION);
  const layout = layoutIn(value);
  const { sessions, holders } = value ?? {};
  if (layout === undefined || !Array.isArray(sessions) || !Array.isArray(holders)) return undefined;
  if (holders.length !== layout.shards) return undefined;
  const read = holders.map((place: unknown) => sessions[place as number] as unknown);
  return { layout, holders: read.map((session) => (typeof session === 'string' ? session : undefined)) };
}

function jsonOf(lease: DeepReadonly<Lease>, annotation: string): Record<string, unknown> | undefined {
  const text = lease.metadata.annotations?.[annotation];
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function layoutIn(value: Record<string, unknown> = {}): ShardLayout | undefined {
  const { shards, by } = value;
  if (typeof shards !== 'number' || !Number.isInteger(shards) || shards < 1 || shards > MOST_SHARDS) return undefined;
  return by === 'uid' || by === 'namespace' ? { shards, by } : undefined;
}

function numbersIn(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((one) => Number.isInteger(one)) : [];
}
