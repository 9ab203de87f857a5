import { KubeflectError } from '../../meta/errors.js';

/** Where in the configuration the trouble is. */
export interface ConfigErrorPlace {
  /** The file, or files, that were read. */
  readonly file?: string | undefined;
  /** The kubeconfig context that was asked for. */
  readonly context?: string | undefined;
}

/** A configuration that leads to no server: unreadable, incomplete or contradictory. The message says what to do next. */
export class ConfigError extends KubeflectError {
  static {
    ConfigError.prototype.name = 'ConfigError';
  }

  readonly file: string | undefined;
  readonly context: string | undefined;

  /** @internal */
  constructor(message: string, place: ConfigErrorPlace & ErrorOptions = {}) {
    super('CONFIG', message, place.cause === undefined ? {} : { cause: place.cause });
    this.file = place.file;
    this.context = place.context;
  }
}

/** Credentials that could not be obtained or refreshed: a plugin failed, a token file is gone, a provider said no. */
export class CredentialsError extends KubeflectError {
  static {
    CredentialsError.prototype.name = 'CredentialsError';
  }

  constructor(message: string, options?: ErrorOptions) {
    super('CREDENTIALS', message, options);
  }
}

/** Why a file could not be read, in words: `no such file`, else the code of the system's error. */
export function describeFileError(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'this process may not read it';
  if (code === 'EISDIR') return 'it is a directory';
  return code ?? 'it cannot be read';
}

/** Whether a file is simply not there. */
export function isMissingFile(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
