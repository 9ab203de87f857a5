import type { BuiltinResources } from '../../resources/tree.js';
import type { AuthenticationV1TokenRequest, V1Binding, V1Eviction, V1Pod } from '../models.js';
import { type ApiConstructor, apiClass } from './api-class.js';
import type { ApiMethods, LogParams, PatchParams, WriteParams } from './api-methods.js';
import type { RequestOptions } from './request-options.js';

interface OfPod {
  readonly name: string;
  readonly namespace: string;
}

/** The methods of subresources that only the core group has. */
interface CoreSubresources {
  readNamespacedPodLog(param: LogParams & OfPod, options?: RequestOptions): Promise<string>;
  createNamespacedPodEviction(
    param: WriteParams & OfPod & { readonly body: V1Eviction },
    options?: RequestOptions,
  ): Promise<unknown>;
  createNamespacedPodBinding(
    param: WriteParams & OfPod & { readonly body: V1Binding },
    options?: RequestOptions,
  ): Promise<unknown>;
  patchNamespacedPodEphemeralcontainers(param: PatchParams & OfPod, options?: RequestOptions): Promise<V1Pod>;
  patchNamespacedPodResize(param: PatchParams & OfPod, options?: RequestOptions): Promise<V1Pod>;
  createNamespacedServiceAccountToken(
    param: WriteParams & OfPod & { readonly body: AuthenticationV1TokenRequest },
    options?: RequestOptions,
  ): Promise<AuthenticationV1TokenRequest>;
}

/** The methods of `v1`, by the names of the official client. */
export type CoreV1Api = ApiMethods<BuiltinResources['core']['v1']> & CoreSubresources;
export const CoreV1Api: ApiConstructor<CoreV1Api> = apiClass('', 'v1');

/** The methods of `admissionregistration.k8s.io/v1`, by the names of the official client. */
export type AdmissionregistrationV1Api = ApiMethods<BuiltinResources['admissionregistration']['v1']>;
export const AdmissionregistrationV1Api: ApiConstructor<AdmissionregistrationV1Api> = apiClass(
  'admissionregistration.k8s.io',
  'v1',
);

/** The methods of `apiextensions.k8s.io/v1`, by the names of the official client. */
export type ApiextensionsV1Api = ApiMethods<BuiltinResources['apiextensions']['v1']>;
export const ApiextensionsV1Api: ApiConstructor<ApiextensionsV1Api> = apiClass('apiextensions.k8s.io', 'v1');

/** The methods of `apiregistration.k8s.io/v1`, by the names of the official client. */
export type ApiregistrationV1Api = ApiMethods<BuiltinResources['apiregistration']['v1']>;
export const ApiregistrationV1Api: ApiConstructor<ApiregistrationV1Api> = apiClass('apiregistration.k8s.io', 'v1');

/** The methods of `apps/v1`, by the names of the official client. */
export type AppsV1Api = ApiMethods<BuiltinResources['apps']['v1']>;
export const AppsV1Api: ApiConstructor<AppsV1Api> = apiClass('apps', 'v1');

/** The methods of `authentication.k8s.io/v1`, by the names of the official client. */
export type AuthenticationV1Api = ApiMethods<BuiltinResources['authentication']['v1']>;
export const AuthenticationV1Api: ApiConstructor<AuthenticationV1Api> = apiClass('authentication.k8s.io', 'v1');

/** The methods of `authorization.k8s.io/v1`, by the names of the official client. */
export type AuthorizationV1Api = ApiMethods<BuiltinResources['authorization']['v1']>;
export const AuthorizationV1Api: ApiConstructor<AuthorizationV1Api> = apiClass('authorization.k8s.io', 'v1');

/** The methods of `autoscaling/v1`, by the names of the official client. */
export type AutoscalingV1Api = ApiMethods<BuiltinResources['autoscaling']['v1']>;
export const AutoscalingV1Api: ApiConstructor<AutoscalingV1Api> = apiClass('autoscaling', 'v1');

/** The methods of `autoscaling/v2`, by the names of the official client. */
export type AutoscalingV2Api = ApiMethods<BuiltinResources['autoscaling']['v2']>;
export const AutoscalingV2Api: ApiConstructor<AutoscalingV2Api> = apiClass('autoscaling', 'v2');

/** The methods of `batch/v1`, by the names of the official client. */
export type BatchV1Api = ApiMethods<BuiltinResources['batch']['v1']>;
export const BatchV1Api: ApiConstructor<BatchV1Api> = apiClass('batch', 'v1');

/** The methods of `certificates.k8s.io/v1`, by the names of the official client. */
export type CertificatesV1Api = ApiMethods<BuiltinResources['certificates']['v1']>;
export const CertificatesV1Api: ApiConstructor<CertificatesV1Api> = apiClass('certificates.k8s.io', 'v1');

/** The methods of `coordination.k8s.io/v1`, by the names of the official client. */
export type CoordinationV1Api = ApiMethods<BuiltinResources['coordination']['v1']>;
export const CoordinationV1Api: ApiConstructor<CoordinationV1Api> = apiClass('coordination.k8s.io', 'v1');

/** The methods of `discovery.k8s.io/v1`, by the names of the official client. */
export type DiscoveryV1Api = ApiMethods<BuiltinResources['discovery']['v1']>;
export const DiscoveryV1Api: ApiConstructor<DiscoveryV1Api> = apiClass('discovery.k8s.io', 'v1');

/** The methods of `events.k8s.io/v1`, by the names of the official client. */
export type EventsV1Api = ApiMethods<BuiltinResources['events']['v1']>;
export const EventsV1Api: ApiConstructor<EventsV1Api> = apiClass('events.k8s.io', 'v1');

/** The methods of `flowcontrol.apiserver.k8s.io/v1`, by the names of the official client. */
export type FlowcontrolApiserverV1Api = ApiMethods<BuiltinResources['flowcontrol']['v1']>;
export const FlowcontrolApiserverV1Api: ApiConstructor<FlowcontrolApiserverV1Api> = apiClass(
  'flowcontrol.apiserver.k8s.io',
  'v1',
);

/** The methods of `networking.k8s.io/v1`, by the names of the official client. */
export type NetworkingV1Api = ApiMethods<BuiltinResources['networking']['v1']>;
export const NetworkingV1Api: ApiConstructor<NetworkingV1Api> = apiClass('networking.k8s.io', 'v1');

/** The methods of `node.k8s.io/v1`, by the names of the official client. */
export type NodeV1Api = ApiMethods<BuiltinResources['node']['v1']>;
export const NodeV1Api: ApiConstructor<NodeV1Api> = apiClass('node.k8s.io', 'v1');

/** The methods of `policy/v1`, by the names of the official client. */
export type PolicyV1Api = ApiMethods<BuiltinResources['policy']['v1']>;
export const PolicyV1Api: ApiConstructor<PolicyV1Api> = apiClass('policy', 'v1');

/** The methods of `rbac.authorization.k8s.io/v1`, by the names of the official client. */
export type RbacAuthorizationV1Api = ApiMethods<BuiltinResources['rbac']['v1']>;
export const RbacAuthorizationV1Api: ApiConstructor<RbacAuthorizationV1Api> = apiClass(
  'rbac.authorization.k8s.io',
  'v1',
);

/** The methods of `resource.k8s.io/v1`, by the names of the official client. */
export type ResourceV1Api = ApiMethods<BuiltinResources['resource']['v1']>;
export const ResourceV1Api: ApiConstructor<ResourceV1Api> = apiClass('resource.k8s.io', 'v1');

/** The methods of `scheduling.k8s.io/v1`, by the names of the official client. */
export type SchedulingV1Api = ApiMethods<BuiltinResources['scheduling']['v1']>;
export const SchedulingV1Api: ApiConstructor<SchedulingV1Api> = apiClass('scheduling.k8s.io', 'v1');

/** The methods of `storage.k8s.io/v1`, by the names of the official client. */
export type StorageV1Api = ApiMethods<BuiltinResources['storage']['v1']>;
export const StorageV1Api: ApiConstructor<StorageV1Api> = apiClass('storage.k8s.io', 'v1');
