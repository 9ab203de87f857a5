import type { Abortable } from '../../meta/objects.js';
import { abortableNames, type OptionNames } from '../../meta/options/known-options.js';
import type { DeleteOptions, WriteOptions } from '../options.js';
import type { ApplySet } from './apply-set.js';
import type { ObjectReference } from './manifest-error.js';

/** What happened to an object. */
export interface ManifestProgress extends ObjectReference {
  /**
   * `created` and `applied`: the server accepted it. `deleted` and `absent`: its deletion was accepted, or it did not exist.
   * `pruned`: it was in the set of `prune` and is not in the manifest. `waiting`: see `message`. `unchecked`: a dry run could
   * not ask the server, because its namespace or its kind does not exist yet.
   */
  readonly action: 'created' | 'applied' | 'deleted' | 'absent' | 'pruned' | 'waiting' | 'unchecked';
  /** What is waited for. @default none, unless `action` is `waiting` */
  readonly message?: string | undefined;
}

/** An object, and what happened to it in the end. */
export interface ManifestResult extends ObjectReference {
  readonly action: Exclude<ManifestProgress['action'], 'waiting'>;
}

interface CommonOptions extends Abortable {
  /** For namespaced objects that name none. @default the client's namespace, else 'default' */
  readonly namespace?: string | undefined;
}

interface ChangeOptions extends CommonOptions, Pick<WriteOptions, 'dryRun'> {
  /** How long `wait` may take, from its begin; then it rejects with all objects that are not there yet. @default no limit */
  readonly timeoutMs?: number | undefined;
  /** Called as the work goes on. @default none */
  readonly onProgress?: ((progress: ManifestProgress) => void) | undefined;
}

/** Options of `client.apply`. */
export interface ApplyManifestsOptions extends ChangeOptions, Pick<WriteOptions, 'fieldManager' | 'fieldValidation'> {
  /** The owner of the applied fields. @default 'kubeflect' */
  readonly fieldManager?: string | undefined;
  /** Takes over fields that other managers own, instead of failing with 409. @default false */
  readonly force?: boolean | undefined;
  /** What the server does with unknown and duplicate fields. @default 'Strict' */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
  /**
   * Deletes the objects that an earlier call with the same set applied and that are not in the manifest any more. Nothing is
   * deleted if an object could not be applied.
   * @default none: nothing is deleted
   */
  readonly prune?: ApplySet | undefined;
  /** Waits until the objects work: workloads are rolled out, Jobs complete, pods ready. @default false */
  readonly wait?: boolean | undefined;
}

/** Options of `client.delete`. */
export interface DeleteManifestsOptions extends ChangeOptions, Pick<DeleteOptions, 'gracePeriodSeconds'> {
  /** Whether and when the garbage collector deletes what the objects own. @default 'Background' */
  readonly propagationPolicy?: DeleteOptions['propagationPolicy'];
  /** Waits until the objects are gone, with their finalizers, before those that they depend on are deleted. @default false */
  readonly wait?: boolean | undefined;
}

/** Options of `client.diff`. */
export interface DiffManifestsOptions
  extends CommonOptions,
    Pick<ApplyManifestsOptions, 'fieldManager' | 'fieldValidation' | 'force'> {}

const commonNames: OptionNames<CommonOptions> = { ...abortableNames, namespace: true };
const changeNames: OptionNames<ChangeOptions> = { ...commonNames, dryRun: true, timeoutMs: true, onProgress: true };
export const diffManifestsNames: OptionNames<DiffManifestsOptions> = {
  ...commonNames,
  fieldManager: true,
  fieldValidation: true,
  force: true,
};
export const applyManifestsNames: OptionNames<ApplyManifestsOptions> = {
  ...changeNames,
  ...diffManifestsNames,
  prune: true,
  wait: true,
};
export const deleteManifestsNames: OptionNames<DeleteManifestsOptions> = {
  ...changeNames,
  gracePeriodSeconds: true,
  propagationPolicy: true,
  wait: true,
};
