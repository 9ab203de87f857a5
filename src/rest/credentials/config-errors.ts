import { KubeflectError } from '../../meta/errors/errors.js';

/** The place of an error in the configuration. */
export interface ConfigErrorPlace {
  /** The file or files that were read. */
  readonly file?: string | undefined;
  /** The kubeconfig context that was asked for. */
  readonly context?: string | undefined;
}

/** A configuration that is unreadable, incomplete or contradictory. The message says what to do next. */
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

/** Credentials could not be obtained or refreshed: a plugin failed, a token file is missing, an OIDC provider refused. */
export class CredentialsError extends KubeflectError {
  static {
    CredentialsError.prototype.name = 'CredentialsError';
  }

  constructor(message: string, options?: ErrorOptions) {
    super('CREDENTIALS', message, options);
  }
}

/** Describes why a file could not be read; the error code of the system if it is an unusual one. */
export function describeFileError(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'this process has no permission to read it';
  if (code === 'EISDIR') return 'it is a directory';
  return code ?? 'it cannot be read';
}

/** Whether the error says that the file does not exist. */
export function isMissingFile(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
