/** The Kubernetes version that is built. */
export const kubernetesVersion: string;

/** Thrown if Go is not installed: the message says what to install. */
export class GoMissingError extends Error {}

export interface BuildOptions {
  /** Called with the progress of a build. @default prints it */
  readonly onProgress?: ((line: string) => void) | undefined;
}

/** The path of the executable of kube-apiserver; builds it once per version of its sources and of Go. */
export function buildRealApiServer(options?: BuildOptions): Promise<string>;

/** The path of the executable of kubectl, of the server's version. */
export function buildKubectl(options?: BuildOptions): Promise<string>;
