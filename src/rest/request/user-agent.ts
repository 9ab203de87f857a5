import { arch, platform } from 'node:os';
import { basename } from 'node:path';

/** What is said of a program to the servers it talks to. */
export interface UserAgentParts {
  /** @default the name of the running script */
  readonly program?: string | undefined;
  /** @default 'unknown' */
  readonly version?: string | undefined;
}

/**
 * A User-Agent in client-go's form: `program/version (os/architecture) kubeflect`. Servers log it, and count by it what
 * uses interfaces that will go away.
 */
export function userAgent(parts: UserAgentParts = {}): string {
  const program = parts.program ?? (basename(process.argv[1] ?? '') || 'unknown');
  // Up to the first '-': what follows is about the build. Anything a header cannot carry is left out.
  const version = (parts.version ?? 'unknown').split('-')[0] || 'unknown';
  return `${program}/${version} (${platform()}/${arch()}) kubeflect`.replace(/[^\x20-\x7e]/g, '');
}
