import { readFile, stat } from 'node:fs/promises';
import { type Undo, undoOnce } from '../../meta/undo.js';
import type { Clock, Timer } from '../../time/clock.js';
import type { TlsMaterial, TlsSource } from '../http/connection-config.js';
import { CredentialsError, describeFileError } from './config-errors.js';
import { keyPairTrouble, looksLikePem, type PemSource } from './pem.js';
import { Rotation } from './rotation.js';
import { SingleFlight } from './single-flight.js';

/** Options of {@link TlsFiles}. */
export interface TlsFilesOptions {
  /** The certificate authority of the server. @default the authorities that Node comes with */
  readonly ca?: PemSource | undefined;
  /** A client certificate; needs `key`. @default none */
  readonly cert?: PemSource | undefined;
  /** The key of the client certificate. @default none */
  readonly key?: PemSource | undefined;
  /** The name that the server's certificate must have. @default the host of the server */
  readonly serverName?: string | undefined;
  /** Accepts any certificate of the server. @default false */
  readonly insecureSkipVerify?: boolean | undefined;
  readonly clock: Clock;
}

type Part = keyof TlsMaterial;

const PARTS: readonly Part[] = ['ca', 'cert', 'key'];
const WHAT: Readonly<Record<Part, string>> = {
  ca: 'certificate authority',
  cert: 'client certificate',
  key: 'client key',
};

/** How often files are checked while a transport listens for rotations. */
const CHECK_MS = 300_000;

/**
 * TLS material from PEM texts and files. Files are checked before each handshake, and every five minutes while there is a
 * listener of `onRotate`; they are read again if their time, size or inode has changed.
 *
 * If certificate and key do not belong together, only one of them has been replaced yet, and the previous pair stays in use.
 * So does the previous content of a file that is missing or empty.
 */
export class TlsFiles implements TlsSource {
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean | undefined;
  readonly #sources: Readonly<Partial<Record<Part, PemSource | undefined>>>;
  readonly #files: readonly string[];
  readonly #clock: Clock;
  readonly #rotation = new Rotation();
  readonly #reading: SingleFlight<TlsMaterial>;
  /** Time, size and inode of the files when they were last read. */
  #seen: string | undefined;
  #material: TlsMaterial | undefined;
  #timer: Timer | undefined;

  constructor(options: TlsFilesOptions) {
    const { serverName, insecureSkipVerify, clock, ...sources } = options;
    this.serverName = serverName;
    this.insecureSkipVerify = insecureSkipVerify;
    this.#clock = clock;
    this.#sources = sources;
    this.#files = PARTS.map((part) => sources[part]).flatMap((source) =>
      source !== undefined && 'file' in source ? [source.file] : [],
    );
    this.#reading = new SingleFlight(() => this.#check());
  }

  /** How often the material has changed since it was first read. */
  get version(): number {
    return this.#rotation.version;
  }

  material(signal?: AbortSignal): TlsMaterial | Promise<TlsMaterial> {
    if (this.#files.length === 0 && this.#material !== undefined) return this.#material;
    return this.#reading.run(signal);
  }

  onRotate(listener: () => void): Undo {
    const undo = this.#rotation.add(listener);
    this.#watch();
    return undoOnce(() => {
      undo();
      if (!this.#rotation.hasListeners) this.#stopWatching();
    });
  }

  #watch(): void {
    if (this.#files.length === 0 || this.#timer !== undefined) return;
    this.#timer = this.#clock.setTimer(CHECK_MS, () => void this.#checkAgain(), { keepAlive: false });
  }

  #stopWatching(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  async #checkAgain(): Promise<void> {
    this.#timer = undefined;
    try {
      await this.#reading.run();
    } catch {
      // The next handshake reads the files again and reports the error.
    }
    if (this.#rotation.hasListeners) this.#watch();
  }

  async #check(): Promise<TlsMaterial> {
    try {
      const fingerprint = await this.#fingerprint();
      if (this.#material !== undefined && fingerprint === this.#seen) return this.#material;
      const material = await this.#read();
      const previous = this.#material;
      this.#material = material;
      this.#seen = fingerprint;
      if (previous !== undefined && PARTS.some((part) => previous[part] !== material[part])) this.#rotation.rotate();
      return material;
    } catch (error) {
      if (this.#material === undefined) throw error;
      return this.#material;
    }
  }

  async #fingerprint(): Promise<string> {
    return (await Promise.all(this.#files.map(fingerprintOf))).join(';');
  }

  async #read(): Promise<TlsMaterial> {
    const [ca, cert, key] = await Promise.all(PARTS.map((part) => readPart(part, this.#sources[part])));
    if (cert !== undefined && key !== undefined) {
      const trouble = keyPairTrouble(cert, key);
      if (trouble !== undefined) throw new CredentialsError(`${this.#describePair()} cannot be used: ${trouble}`);
    }
    return { ca, cert, key };
  }

  #describePair(): string {
    const [cert, key] = [this.#sources.cert, this.#sources.key].map((source) =>
      source !== undefined && 'file' in source ? source.file : 'given as data',
    );
    return `the client certificate (${cert}) with its key (${key})`;
  }
}

async function fingerprintOf(file: string): Promise<string> {
  try {
    const { mtimeNs, size, ino } = await stat(file, { bigint: true });
    return `${mtimeNs}/${size}/${ino}`;
  } catch (error) {
    // `readPart` throws the error, with the file's purpose.
    return describeFileError(error);
  }
}

async function readPart(part: Part, source: PemSource | undefined): Promise<string | undefined> {
  if (source === undefined) return undefined;
  if ('data' in source) return source.data.reveal();
  let text: string;
  try {
    text = await readFile(source.file, 'utf8');
  } catch (error) {
    throw new CredentialsError(`cannot read the ${WHAT[part]} ${source.file}: ${describeFileError(error)}`, {
      cause: error,
    });
  }
  if (!looksLikePem(text)) {
    throw new CredentialsError(`the ${WHAT[part]} ${source.file} has no PEM block (-----BEGIN …-----)`);
  }
  return text;
}
