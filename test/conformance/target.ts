/** A user the server knows besides the administrator. */
export interface TargetUser {
  /** The name the server gives to whoever presents the token, as it appears in its messages. */
  readonly name: string;
  readonly token: string;
}

/** What a case may ask for beyond HTTP; a target that lacks it leaves the case out, with that reason. */
export type Need = 'compact' | 'restart' | 'powerless';

/** A part of the suite that a target leaves out, and why. */
export interface LeftOut {
  /** The name of an area, or `area: title` for a single case. */
  readonly what: string;
  /** Printed beside every case that is left out; a full clause, for people. */
  readonly reason: string;
}

/** A server to be judged. Everything that the suite knows of it is here. */
export interface Target {
  /** What the suite calls it in its output. */
  readonly name: string;
  /** Base address, `http:` or `https:`, without a path. */
  readonly url: string;
  /** Certificate authority in PEM for `https:`. Without it the server's certificate is not verified. */
  readonly ca?: string | undefined;
  /** Bearer token of a user who may do everything. Empty where the server lets everybody do everything. */
  readonly token: string;
  readonly users?: {
    /** Authenticated, but without any right beyond those every user has. */
    readonly powerless?: TargetUser | undefined;
  };
  /** Things no HTTP request can bring about. */
  readonly control?: {
    /** Forgets the history of all versions older than now. */
    readonly compact?: (() => Promise<void>) | undefined;
    /** Stops the server and starts it again on the same data and address; resolves when it is ready. */
    readonly restart?: (() => Promise<void>) | undefined;
  };
  readonly leftOut?: readonly LeftOut[] | undefined;
}

/** Whether the target can give a case what it needs. */
export function offers(target: Target, need: Need): boolean {
  if (need === 'powerless') return target.users?.powerless !== undefined;
  return target.control?.[need] !== undefined;
}
