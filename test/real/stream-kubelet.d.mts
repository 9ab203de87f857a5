import type { ApiServer, ApiServerOptions } from '../../src/apiserver/index.js';
import type { CertificateAuthority } from '../../src/certificates/certificate-authority.js';

export interface StreamKubeletOptions {
  /** Of `src` in tests, of `dist` in measurements. */
  readonly startApiServer: (options: ApiServerOptions) => Promise<ApiServer>;
  /** Issues the certificate of the kubelet. */
  readonly authority: CertificateAuthority;
  /** The pods of the node, in the namespace `default`. */
  readonly pods: readonly { readonly name: string; readonly containers: readonly string[] }[];
  /** Answers exec, attach, port-forward and logs. */
  readonly kubelet: ApiServerOptions['kubelet'];
}

export interface StreamKubelet {
  readonly port: number;
  /** The Node and the Pods to create on the API server, which then asks this kubelet. */
  readonly node: { readonly metadata: { readonly name: string }; readonly status: object };
  readonly objects: readonly { readonly metadata: { readonly name: string } }[];
  stop(): Promise<void>;
}

/** A kubelet for streams alone, on a TLS port of loopback. */
export function startStreamKubelet(options: StreamKubeletOptions): Promise<StreamKubelet>;
