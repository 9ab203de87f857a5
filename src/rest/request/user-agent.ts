import { arch, platform } from 'node:os';
import { basename } from 'node:path';

/** What a {@link userAgent} is made of. */
export interface UserAgentParts {
  /** @default the name of the running script */
  readonly program?: string | undefined;
  /** @default 'unknown' */
  readonly version?: string | undefined;
}

/** Makes a User-Agent header in client-go's form: `program/version (os/architecture) kubeflect`. */
export function userAgent(parts: UserAgentParts = {}): string {
  const program = parts.program ?? (basename(process.argv[1] ?? '') || 'unknown');
  // As client-go does: the version up to its first '-'. Characters that a header cannot carry are left out.
  const version = (parts.version ?? 'unknown').split('-')[0] || 'unknown';
  return `${program}/${version} (${platform()}/${arch()}) kubeflect`.replace(/[^\x20-\x7e]/g, '');
}
