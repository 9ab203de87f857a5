/** `kubeflect/rest`: connections, requests and the stream decoders that clients and informers are made of. */

export type {
  ByteTransform,
  Codec,
  DecoderOptions,
  ListDecoder,
  ListHead,
  StreamDecoder,
  WatchDecoder,
} from '../codec/codec.js';
export { drop, droppedByDefault } from '../codec/codec.js';
export { DecodeError } from '../codec/decode-error.js';
export { DecodeFlow, type DecodeFlowOptions } from '../codec/decode-flow.js';
export type { EngineKind } from '../codec/json/engine.js';
export { createJsonCodec, jsonCodec } from '../codec/json/json-codec.js';
export { type FieldPath, Raw, rawAccessor, rawAccessorOf } from '../codec/raw.js';
export {
  Compaction,
  Slab,
  SlabArena,
  type SlabArenaOptions,
  type SlabArenaUsage,
  type SlabEntry,
} from '../codec/slab.js';
export type { BatchSink, Flow, ListSource, WatchSink, WatchSource } from '../codec/watch-source.js';
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
export type { ConnectionConfig, Credentials, Impersonation, TlsMaterial, TlsSource } from './http/connection-config.js';
export { fixedTls } from './http/connection-config.js';
export type { ConnectionOwner, HttpConnection } from './http/http-connection.js';
export { HttpTransport, type HttpTransportOptions } from './http/http-transport.js';
export { type MemoryLink, type MemoryReader, MemoryTransport } from './http/memory-transport.js';
export { type AskedRequest, ConnectionLostError, InvalidRequestError, RequestError } from './http/request-errors.js';
export type {
  Exchange,
  RequestHeaders,
  ResponseHandler,
  ResponseHeaders,
  Transport,
  TransportRequest,
} from './http/transport.js';
export type { RequestLimiter } from './request/call.js';
export type { PlainWatchEvent, ReadWatchOptions } from './request/read-objects.js';
export {
  type HttpMethod,
  type ParamValue,
  type PatchType,
  patchTypes,
  type RawAnswer,
  type Request,
} from './request/request.js';
export { clientGoRateLimit, RestClient, type RestClientOptions } from './request/rest-client.js';
export type { CallMode } from './request/retry.js';
export { type UserAgentParts, userAgent } from './request/user-agent.js';
export { parseWarnings, type ServerWarning, type WarningHandler, warnOnce } from './request/warnings.js';
export { ResourceSource, type ResourceSourceOptions } from './source/resource-source.js';
