import type { Codec } from '../../codec/codec.js';
import { jsonCodec } from '../../codec/json/json-codec.js';
import { isRefusal } from '../../meta/errors/refusal.js';
import { type GroupVersionResource, printGroupResource } from '../../meta/resource.js';
import { findResource } from '../../resources/find.js';
import type { CallMode } from './retry.js';

/** The part of the answer of `/version` that is compared with a codec's schema. */
export interface ServerRelease {
  readonly major: string;
  /** Some providers append a `+`. */
  readonly minor: string;
}

/**
 * The wire formats of one client: which ones its requests ask for, which one a response has, and whether it may lack fields.
 * JSON is always among them, because custom resources, patches and paths outside of the API have no other format.
 */
export class WireFormats {
  /** Besides JSON; preferred ones first. None until they are loaded. */
  #codecs: readonly Codec[] = [];
  /** Loads the codecs; undefined once they are there. */
  #load: (() => Promise<readonly Codec[]>) | undefined;
  #loading: Promise<void> | undefined;
  readonly #readRelease: () => Promise<ServerRelease>;
  /** Groups whose other formats the server refused, and resources with fields that a schema does not have: see `keyOf`. */
  readonly #jsonOnly = new Set<string>();
  /** Undefined until it is known. */
  #release: ServerRelease | undefined;
  #isReleaseAsked = false;

  /**
   * @param codecs those besides JSON, preferred ones first; or what loads them, for the first request that may use them
   * @param readRelease reads `/version`; called when a response in another format than JSON comes, until it has an answer, once per connection
   */
  constructor(codecs: readonly Codec[] | (() => Promise<readonly Codec[]>), readRelease: () => Promise<ServerRelease>) {
    if (typeof codecs === 'function') this.#load = codecs;
    else this.#codecs = codecs;
    this.#readRelease = readRelease;
  }

  /**
   * Loads the codecs if requests for this resource may use them. Undefined if they may not, or if they are loaded; until then
   * {@link accepted} has JSON only. Rejects if they cannot be loaded; the next call tries again.
   */
  load(resource: GroupVersionResource | undefined): Promise<void> | undefined {
    if (this.#load === undefined || resource === undefined || findResource(resource) === undefined) return undefined;
    if (this.#loading === undefined) {
      this.#loading = this.#load().then(
        (codecs) => {
          this.#codecs = codecs;
          this.#load = undefined;
        },
        (error) => {
          this.#loading = undefined;
          throw error;
        },
      );
      // A write does not wait, and so does not fail with it.
      this.#loading.catch(() => {});
    }
    return this.#loading;
  }

  /** The codecs that know a resource, preferred ones first; undefined stands for a path outside of the API. */
  accepted(resource: GroupVersionResource | undefined): readonly [Codec, ...Codec[]] {
    const builtin = resource === undefined ? undefined : findResource(resource);
    if (builtin === undefined || this.#jsonOnly.has(builtin.group) || this.#jsonOnly.has(keyOf(builtin))) {
      return [jsonCodec];
    }
    const [preferred, ...others] = this.#codecs.filter((codec) => codec.knows(builtin));
    return preferred === undefined ? [jsonCodec] : [preferred, ...others, jsonCodec];
  }

  /** The codec of a response, by its `Content-Type`: JSON unless it names another format. */
  of(contentType: string | undefined): Codec {
    const [type = ''] = (contentType ?? '').toLowerCase().split(';', 1);
    const codec = this.#codecs.find(({ mediaType }) => mediaType === type.trim());
    if (codec?.schemaVersion !== undefined) this.#learnRelease();
    return codec ?? jsonCodec;
  }

  /**
   * Whether objects in this format have to be searched for fields that its schema does not have: the server is newer than the
   * schema, or its version is not known, or not yet.
   */
  isStrict({ schemaVersion }: Codec): boolean {
    if (schemaVersion === undefined) return false;
    const [major = 0, minor = 0] = schemaVersion.split('.').map(Number);
    const release = this.#release;
    if (release === undefined) return true;
    const served = [Number.parseInt(release.major, 10), Number.parseInt(release.minor, 10)] as const;
    // Written so that a version that is no number counts as newer.
    return !(served[0] < major || (served[0] === major && served[1] <= minor));
  }

  /** The server refused another format than JSON: requests for resources of this group are made in JSON from now on. */
  refuse(group: string): void {
    this.#jsonOnly.add(group);
  }

  /** An object had a field that the schema does not have: the resource is read and written as JSON from now on. */
  abandon(resource: GroupVersionResource): void {
    const key = keyOf(resource);
    if (this.#jsonOnly.has(key)) return;
    this.#jsonOnly.add(key);
    process.emitWarning(
      `the server sends ${printGroupResource(resource)} with fields that this version of kubeflect does not know: they are read as JSON from now on, so that nothing is lost; a newer kubeflect reads them faster`,
      'KubeflectWarning',
    );
  }

  /** A new connection may lead to another server, or to a newer release of it. */
  noteReconnected(): void {
    this.#release = undefined;
    this.#isReleaseAsked = false;
  }

  #learnRelease(): void {
    if (this.#isReleaseAsked) return;
    this.#isReleaseAsked = true;
    this.#readRelease().then(
      (release) => {
        this.#release = release;
      },
      // Not known: decoding stays strict. The next response asks again, unless the answer would be the same.
      (error: unknown) => {
        if (!isRefusal(error)) this.#isReleaseAsked = false;
      },
    );
  }
}

function keyOf({ group, resource }: GroupVersionResource): string {
  return `${group}/${resource}`;
}

/**
 * The `Accept` header of a request.
 *
 * @param metadata asks for PartialObjectMetadata: of one object or a watch, or of a list
 */
export function acceptHeader(codecs: readonly Codec[], mode: CallMode, metadata?: 'object' | 'list'): string {
  const types = codecs.map((codec) => codec.mediaType);
  if (metadata !== undefined) {
    const kind = metadata === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
    return types.map((type) => `${type};as=${kind};g=meta.k8s.io;v=v1`).join(', ');
  }
  // A server that knows no `stream` parameter answers a watch as plain JSON.
  if (mode === 'watch') return [...codecs.map((codec) => codec.watchMediaType), jsonCodec.mediaType].join(', ');
  return [...types, '*/*'].join(', ');
}
