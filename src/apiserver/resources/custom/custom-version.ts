import { valueAt } from '../../../meta/json-paths.js';
import { isJsonObject } from '../../../meta/json-values.js';
import { finish } from '../../../time/steps.js';
import type { KindTable } from '../../tables/kind-table.js';
import { compareVersionPriority } from '../discovery.js';
import type { Conversion, RemoteConversion } from '../registry.js';
import { type CompiledRules, compileRules } from './definition/compiled-rules.js';
import type { DefinedVersion, Definition } from './definition/definition.js';
import { customTable } from './definition/printer-columns.js';
import { parseStructural, type Structural } from './definition/structural.js';
import { pruneCustom, restoreCustom } from './reading.js';

/** One version of a custom resource, with its schema and table in the form in which requests use them. */
export interface CustomVersion extends DefinedVersion {
  readonly schema: Structural;
  /** Undefined if the schema has none. */
  readonly rules: CompiledRules | undefined;
  readonly table: KindTable;
  /** The warning of each answer, if the version is deprecated. */
  readonly deprecation: string | undefined;
}

/** Parses the versions of a definition. */
export function customVersions(definition: Definition): CustomVersion[] {
  return definition.versions.map((version) => {
    const json = valueAt(version.json, ['schema', 'openAPIV3Schema']);
    const schema = parseStructural(isJsonObject(json) ? json : {});
    return {
      ...version,
      schema,
      rules: compileRules(schema, true),
      table: customTable(version.json['additionalPrinterColumns']),
      deprecation: version.deprecated ? (version.deprecationWarning ?? deprecationOf(definition, version)) : undefined,
    };
  });
}

/** The warning of a deprecated version without a text of its own: it names the best newer version. */
function deprecationOf({ group, kind, versions }: Definition, { name }: DefinedVersion): string {
  const [newer] = versions
    .filter(({ served, deprecated, name: other }) => served && !deprecated && compareVersionPriority(other, name) < 0)
    .sort((a, b) => compareVersionPriority(a.name, b.name));
  const said = `${group}/${name} ${kind} is deprecated`;
  return newer === undefined ? said : `${said}; use ${group}/${newer.name} ${kind}`;
}

/**
 * The conversion `None` between the versions of a definition: only apiVersion changes, and fields that the other version does
 * not have are removed. An object from the storage gets the defaults of the version that it is stored in.
 */
export function customConversion(
  definition: Definition,
  versions: readonly CustomVersion[],
  served: CustomVersion,
  remote: Pick<RemoteConversion, 'convert'> | undefined,
): Conversion {
  const storage = versions.find((version) => version.storage)!;
  const apiVersionOf = ({ name }: CustomVersion): string => `${definition.group}/${name}`;
  return {
    fromStorage(object) {
      const stored = versions.find((version) => apiVersionOf(version) === object['apiVersion']) ?? storage;
      finish(restoreCustom(object, stored.schema));
      if (stored !== served) finish(pruneCustom(object, served.schema));
      return { ...object, apiVersion: apiVersionOf(served) };
    },
    toStorage(object) {
      if (storage !== served) finish(pruneCustom(object, storage.schema));
      return { ...object, kind: definition.kind, apiVersion: apiVersionOf(storage) };
    },
    remote: remote && {
      storageApiVersion: apiVersionOf(storage),
      *convert(objects, apiVersion) {
        for (const object of objects) {
          const stored = versions.find((version) => apiVersionOf(version) === object['apiVersion']) ?? storage;
          yield* restoreCustom(object, stored.schema);
        }
        const converted = yield* remote.convert(objects, apiVersion);
        const wanted = versions.find((version) => apiVersionOf(version) === apiVersion) ?? storage;
        for (const object of converted) yield* pruneCustom(object, wanted.schema);
        return converted;
      },
    },
  };
}
