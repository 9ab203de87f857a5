/** What {@link planShards} decides from. */
interface PlanInput {
  /** The holder of each shard; undefined for a shard that needs a new one. A holder that is not in `members` keeps its shards. */
  readonly holders: readonly (string | undefined)[];
  /** The replicas that take part, in any order. */
  readonly members: readonly string[];
  /** The members that shards without a holder go to; not empty unless `members` is. */
  readonly receivers: readonly string[];
  /** Whether shards may move between members that hold them, so that all have equal shares. */
  readonly rebalances: boolean;
}

/** A way to place a shard, and how much its member is preferred. */
interface Placement {
  readonly shard: number;
  readonly member: string;
  readonly score: number;
}

/**
 * Decides which member should hold each shard. The same input gives the same result in every replica.
 *
 * Shards without a holder go to the receivers with the fewest shards. With `rebalances`, members with more than their share give
 * the surplus to members with less; a shard never moves between two members that both have their share. Among the members
 * that may get a shard, the one with the highest rendezvous hash does. If some of the moves have been made, the rest of the
 * plan stays as it was.
 */
export function planShards({ holders, members, receivers, rebalances }: PlanInput): (string | undefined)[] {
  const targets = [...holders];
  if (members.length === 0) return targets;
  const counts = new Map(members.map((member) => [member, 0]));
  for (const holder of holders) {
    const count = holder === undefined ? undefined : counts.get(holder);
    if (count !== undefined) counts.set(holder as string, count + 1);
  }
  placeOrphans(targets, counts, receivers);
  if (rebalances) levelShares(targets, counts);
  return targets;
}

/** Gives the shards without a holder away, so that the counts of the receivers become as equal as possible. */
function placeOrphans(
  targets: (string | undefined)[],
  counts: Map<string, number>,
  receivers: readonly string[],
): void {
  const orphans = [...targets.keys()].filter((shard) => targets[shard] === undefined);
  if (orphans.length === 0) return;
  const level = levelAfter(
    receivers.map((member) => counts.get(member) ?? 0),
    orphans.length,
  );
  // Below the level first, so that no receiver stays far behind; the last ones bring some of them to the level.
  for (const limit of [level - 1, level]) {
    for (const { shard, member } of placements(orphans, receivers)) {
      const count = counts.get(member) ?? 0;
      if (targets[shard] !== undefined || count >= limit) continue;
      targets[shard] = member;
      counts.set(member, count + 1);
    }
  }
}

/** The highest count after `added` shards were given to the members with the lowest counts. */
function levelAfter(counts: readonly number[], added: number): number {
  let level = Math.min(...counts);
  while (counts.reduce((sum, count) => sum + Math.max(0, level - count), 0) < added) level++;
  return level;
}

/** Moves the surplus of members with more than their share to members with less. */
function levelShares(targets: (string | undefined)[], counts: Map<string, number>): void {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const share = Math.floor(total / counts.size);
  // Members that have more already keep the remainder; among the others it goes by name, whatever has moved so far.
  const byPreference = [...counts.keys()].sort(
    (a, b) => Number((counts.get(b) ?? 0) > share) - Number((counts.get(a) ?? 0) > share) || (a < b ? -1 : 1),
  );
  const shares = new Map(byPreference.map((member, i) => [member, share + (i < total % counts.size ? 1 : 0)]));
  const surplus = (member: string): number => (counts.get(member) ?? 0) - (shares.get(member) ?? 0);
  const givers = new Set(byPreference.filter((member) => surplus(member) > 0));
  if (givers.size === 0) return;
  const takers = byPreference.filter((member) => surplus(member) < 0);
  const movable = [...targets.keys()].filter((shard) => givers.has(targets[shard] ?? ''));
  for (const { shard, member } of placements(movable, takers)) {
    const holder = targets[shard] as string;
    if (!givers.has(holder) || surplus(holder) <= 0 || surplus(member) >= 0) continue;
    counts.set(holder, (counts.get(holder) ?? 0) - 1);
    counts.set(member, (counts.get(member) ?? 0) + 1);
    targets[shard] = member;
  }
}

/** All ways to place the shards, the preferred ones first. */
function placements(shards: readonly number[], members: readonly string[]): Placement[] {
  const hashes = members.map((member) => [member, hashOf(member)] as const);
  const all = shards.flatMap((shard) =>
    hashes.map(([member, hash]) => ({ shard, member, score: mix(hash ^ mix(shard)) })),
  );
  return all.sort((a, b) => b.score - a.score || a.shard - b.shard || (a.member < b.member ? -1 : 1));
}

/** FNV-1a of the UTF-16 units, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash);
}

/** Spreads every bit over all others, so that near inputs have unrelated results. */
function mix(value: number): number {
  let mixed = (value + 0x9e3779b9) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
