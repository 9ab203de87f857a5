/** The Kubernetes version of the servers that are started. */
export const kubernetesVersion: string;
/** Whether that is the version of the catalogue, the schema and the conformance suite. */
export const isNewest: boolean;
/** Whether the servers that are started are of this release or a newer one. */
export function isSince(release: `1.${number}`): boolean;
/** Thrown if Go is not installed: the message says what to install. */
export class GoMissingError extends Error {}
export interface BuildOptions {
  /** Called with the progress of a build. */
  readonly onProgress?: ((line: string) => void) | undefined;
}
/** The path of the executable of kube-apiserver. */
export function buildRealApiServer(options?: BuildOptions): Promise<string>;
/** The path of the executable of kubectl, of the server's version. */
export function buildKubectl(options?: BuildOptions): Promise<string>;
/** The path of the executable of a command of Kubernetes, of the server's version. */
export function buildCommand(
  name: 'kube-controller-manager' | 'kube-scheduler',
  options?: BuildOptions,
): Promise<string>;
/** The folder in the user's cache for what is built or installed under this name. */
export function cacheFolder(name: string): string;
