/** `kubeflect/rest`: connections, requests and the stream decoders that clients and informers are made of. */
export type {
  CreateOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ModifyOptions,
  PatchOptions,
  SelectorOptions,
  UpdateOptions,
  WatchOptions,
} from '../meta/options.js';
export type { BookmarkEvent, BookmarkObject, ErrorEvent, WatchEvent } from '../meta/watch-event.js';
export { TokenBucket, type TokenBucketOptions } from '../time/token-bucket.js';
export type { RequestLimiter } from './call.js';
export type {
  ByteTransform,
  Codec,
  DecoderOptions,
  ListDecoder,
  ListHead,
  StreamDecoder,
  WatchDecoder,
} from './codec.js';
export { drop, droppedByDefault } from './codec.js';
export { DecodeError } from './codec-error.js';
export { DecodeFlow, type DecodeFlowOptions } from './codec-flow.js';
export {
  ConfigError,
  type ConfigErrorPlace,
  type ConfigOptions,
  type ConnectionOptions,
  CredentialsError,
  connectionConfig,
  type DefaultConfigOptions,
  defaultConfig,
  type Environment,
  type InClusterOptions,
  impersonationHeaders,
  inClusterConfig,
  type KubeConfigLike,
  type KubeconfigOptions,
  type KubeconfigOverrides,
  type KubeconfigSource,
  type LoadedConfig,
  loadKubeconfig,
} from './config/index.js';
export type { ConnectionConfig, Credentials, Impersonation, TlsMaterial, TlsSource } from './connection.js';
export { fixedTls } from './connection.js';
export { type AskedRequest, ConnectionLostError, InvalidRequestError, RequestError } from './errors.js';
export type { ConnectionOwner, HttpConnection } from './http-connection.js';
export { HttpTransport, type HttpTransportOptions } from './http-transport.js';
export type { EngineKind } from './json/engine.js';
export { createJsonCodec, jsonCodec } from './json/json-codec.js';
export { type MemoryLink, type MemoryReader, MemoryTransport } from './memory-transport.js';
export { type FieldPath, Raw, rawAccessor, rawAccessorOf } from './raw.js';
export type { PlainWatchEvent, ReadWatchOptions } from './read-objects.js';
export {
  type HttpMethod,
  type ParamValue,
  type PatchType,
  patchTypes,
  type RawAnswer,
  type Request,
} from './request.js';
export { ResourceSource, type ResourceSourceOptions } from './resource-source.js';
export { clientGoRateLimit, RestClient, type RestClientOptions } from './rest-client.js';
export type { CallMode } from './retry.js';
export { Compaction, Slab, SlabArena, type SlabArenaOptions, type SlabArenaUsage, type SlabEntry } from './slab.js';
export type {
  Exchange,
  RequestHeaders,
  ResponseHandler,
  ResponseHeaders,
  Transport,
  TransportRequest,
} from './transport.js';
export { type UserAgentParts, userAgent } from './user-agent.js';
export { parseWarnings, type ServerWarning, type WarningHandler, warnOnce } from './warnings.js';
export type { BatchSink, Flow, ListSource, WatchSink, WatchSource } from './watch-source.js';
