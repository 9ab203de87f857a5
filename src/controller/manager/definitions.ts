import { createHash } from 'node:crypto';
import type { Client, DeepReadonly, New } from '../../index.js';
import { isConflict, isForbidden, isNotFound, KubeflectError } from '../../index.js';
import { upgradeProblems } from '../../kinds/upgrade-problems.js';
import type { CustomResourceDefinition } from '../../resources/types/apiextensions-v1.js';
import { customDefinitions } from '../manifests/custom-definitions.js';
import type { ClusterCheck, PreflightOptions } from './preflight.js';

type Definition = New<CustomResourceDefinition>;

/**
 * The hashes of the definitions that were applied, oldest first. A replica whose own definition is among them, but is not the
 * last, is older than the replica that applied the last one: it keeps that one.
 */
const HISTORY = 'kubeflect.dev/applied-definitions';
const HISTORY_LENGTH = 20;
const ESTABLISHED_WITHIN_MS = 30_000;
const POLL_MS = 100;

/** Applies or compares the definitions of all custom resources in use. Returns what keeps the manager from starting. */
export async function reconcileDefinitions(check: ClusterCheck): Promise<string[]> {
  const { options, cluster } = check;
  const { definitions: mode = 'check' } = options;
  if (mode === 'ignore') return [];
  const problems: string[] = [];
  for (const { definition, client = check.client } of customDefinitions(options, check.home)) {
    if (client !== cluster) continue;
    const found = mode === 'apply' ? applyDefinition(check, client, definition) : compare(check, client, definition);
    problems.push(...(await found.catch((error: unknown) => forbiddenIsNamedElsewhere(error))));
  }
  return problems;
}

/** A missing permission is in the list already. */
function forbiddenIsNamedElsewhere(error: unknown): string[] {
  if (isForbidden(error)) return [];
  throw error;
}

async function applyDefinition(check: PreflightOptions, client: Client, wanted: Definition): Promise<string[]> {
  const { options, signal, clock } = check;
  const definitions = client.apiextensions.v1.customResourceDefinitions();
  const name = nameOf(wanted);
  for (;;) {
    const stored = await unlessMissing(definitions.get(name, { signal }));
    const history = (stored?.metadata.annotations?.[HISTORY] ?? '').split(',').filter((hash) => hash !== '');
    const hash = hashOf(wanted);
    if (!history.includes(hash)) {
      const problems = stored === undefined ? [] : upgradeProblems(stored, wanted);
      if (problems.length > 0)
        return problems.map((problem) => `definition ${name}: an upgrade would harm stored objects: ${problem}`);
      const annotations = { ...wanted.metadata?.annotations, [HISTORY]: recent([...history, hash]).join(',') };
      const resourceVersion = stored?.metadata.resourceVersion;
      const metadata = {
        ...wanted.metadata,
        annotations,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
      const fieldManager = options.name;
      try {
        await definitions.apply({ ...wanted, metadata }, { fieldManager, force: true, signal });
      } catch (error) {
        // Another replica has written since: its definition may be newer.
        if (isConflict(error)) continue;
        throw error;
      }
      client.apis.invalidate();
    }
    return await established(client, name, { clock, signal });
  }
}

function recent(history: readonly string[]): readonly string[] {
  return history.slice(-HISTORY_LENGTH);
}

/** Waits until the server serves the kind. */
async function established(
  client: Client,
  name: string,
  { clock, signal }: Pick<PreflightOptions, 'clock' | 'signal'>,
): Promise<string[]> {
  const definitions = client.apiextensions.v1.customResourceDefinitions();
  const deadline = clock.monotonicNow() + ESTABLISHED_WITHIN_MS;
  for (;;) {
    const { status } = await definitions.get(name, { signal });
    const conditions = status?.conditions ?? [];
    if (conditions.some(({ type, status: value }) => type === 'Established' && value === 'True')) return [];
    if (clock.monotonicNow() >= deadline) {
      const refused = conditions.find(({ type, status: value }) => type === 'NamesAccepted' && value === 'False');
      return [`definition ${name}: the server does not serve it: ${refused?.message ?? 'it is not established'}`];
    }
    await clock.sleep(POLL_MS, { signal });
  }
}

async function compare(check: PreflightOptions, client: Client, wanted: Definition): Promise<string[]> {
  const name = nameOf(wanted);
  const stored = await unlessMissing(
    client.apiextensions.v1.customResourceDefinitions().get(name, { signal: check.signal }),
  );
  if (stored === undefined)
    return [
      `definition ${name}: it does not exist; apply what \`npx kubeflect manifests\` prints, or set definitions: 'apply'`,
    ];
  const served = new Set(stored.spec.versions.filter((version) => version.served).map((version) => version.name));
  const absent = wanted.spec.versions.filter((version) => version.served && !served.has(version.name));
  if (absent.length > 0)
    return absent.map((version) => `definition ${name}: the stored one does not serve the version ${version.name}`);
  const differences = differencesOf(stored, wanted);
  if (differences.length > 0) check.onError(new DefinitionDiffersError(name, differences));
  return [];
}

/** The stored definition of a kind differs from the one in the program. */
class DefinitionDiffersError extends KubeflectError {
  static {
    DefinitionDiffersError.prototype.name = 'DefinitionDiffersError';
  }

  constructor(name: string, differences: readonly string[]) {
    super(
      'DEFINITION_DIFFERS',
      `the definition ${name} differs from that of this program at ${differences.join(', ')}`,
    );
  }
}

/** The paths at which the stored definition differs from the wanted one, apart from what the server fills in. */
function differencesOf(stored: DeepReadonly<CustomResourceDefinition>, wanted: Definition): string[] {
  const differences: string[] = [];
  visit(stored.spec, wanted.spec, 'spec');
  return differences;

  function visit(is: unknown, should: unknown, path: string): void {
    if (typeof should !== 'object' || should === null || typeof is !== 'object' || is === null) {
      if (is !== should) differences.push(path);
      return;
    }
    // The server adds no field to a schema: one that only the stored schema has is a difference.
    const names = new Set([...Object.keys(should), ...(path.includes('openAPIV3Schema') ? Object.keys(is) : [])]);
    for (const name of names) {
      const next = Array.isArray(should) ? `${path}[${name}]` : `${path}.${name}`;
      visit((is as Record<string, unknown>)[name], (should as Record<string, unknown>)[name], next);
    }
  }
}

function nameOf(definition: Definition): string {
  return definition.metadata?.name ?? '';
}

function hashOf({ spec }: Definition): string {
  return createHash('sha256').update(JSON.stringify(spec)).digest('hex').slice(0, 12);
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
