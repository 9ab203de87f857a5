/** A user besides the administrator. */
export interface TargetUser {
  /** The name of the user of the token, as in messages of the server. */
  readonly name: string;
  readonly token: string;
}

/** Needs of a case beyond HTTP; a target without one skips the case, with that reason. */
export type Need = 'compact' | 'restart' | 'powerless';

/** A server to test. The suite knows nothing else of it. */
export interface Target {
  /** Its name in the output of the suite. */
  readonly name: string;
  /** Base address, `http:` or `https:`, without a path. */
  readonly url: string;
  /** Certificate authority in PEM for `https:`. Without it the server's certificate is not verified. */
  readonly ca?: string | undefined;
  /** Bearer token of an administrator. Empty if the server does not authorize requests. */
  readonly token: string;
  readonly users?: {
    /** Authenticated, but without rights of its own. */
    readonly powerless?: TargetUser | undefined;
  };
  /** Actions that need more than an HTTP request. */
  readonly control?: {
    /** Compacts all versions before the current one. */
    readonly compact?: (() => Promise<void>) | undefined;
    /** Stops the server and starts it again on the same data and address; resolves when it is ready. */
    readonly restart?: (() => Promise<void>) | undefined;
  };
}

/** Whether the target meets a need of a case. */
export function offers(target: Target, need: Need): boolean {
  if (need === 'powerless') return target.users?.powerless !== undefined;
  return target.control?.[need] !== undefined;
}
