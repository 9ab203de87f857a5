import { escapeControls } from '../../meta/escape-controls.js';

/** A warning that came with a response: an API version is deprecated, or a field was ignored. */
interface ServerWarning {
  /** 299 for all warnings of Kubernetes servers. */
  readonly code: number;
  /** The server that added the warning; `-` if it is unknown. */
  readonly agent: string;
  readonly text: string;
}

/** Receives each warning of a response. */
export type WarningHandler = (text: string, warning: ServerWarning) => void;

const token = '[^\\s",]+';
const quoted = '"((?:[^"\\\\]|\\\\.)*)"';
/** One warning: code, agent, quoted text and, from older servers, a quoted date. */
const warningPattern = new RegExp(`\\s*(\\d{3}) (${token}) ${quoted}(?: ${quoted})?\\s*(?:,|$)`, 'y');

/** Parses a `Warning` header, in which several warnings may be joined by commas; stops at the first that is malformed. */
function parseWarnings(header: string): ServerWarning[] {
  const warnings: ServerWarning[] = [];
  warningPattern.lastIndex = 0;
  for (let match = warningPattern.exec(header); match !== null; match = warningPattern.exec(header)) {
    const [, code, agent, text] = match as unknown as [string, string, string, string];
    warnings.push({ code: Number(code), agent, text: unquote(text) });
    if (warningPattern.lastIndex >= header.length) break;
  }
  return warnings;
}

/** Calls `handler` with each warning of a `Warning` header. An error that it throws does not fail the request. */
export function reportWarnings(header: string | undefined, handler: WarningHandler): void {
  if (header === undefined) return;
  for (const warning of parseWarnings(header)) {
    try {
      handler(warning.text, warning);
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.emitWarning(`the handler of the server's warnings threw: ${message}`, 'KubeflectWarning');
    }
  }
}

function unquote(text: string): string {
  // Control characters could be commands to the terminal that the warning is printed on.
  const plain = text.replace(/\\(.)/g, '$1').replace(/\p{Cc}/gu, (control) => (control < '\x80' ? '' : control));
  // Servers send UTF-8, which the HTTP parser reads as latin1.
  const decoded = Buffer.from(plain, 'latin1').toString('utf8');
  return escapeControls(/[^\0-\xff]/.test(plain) || decoded.includes('\ufffd') ? plain : decoded);
}

/** A server that sends ever new texts must not fill the memory of its clients. */
const MAX_REMEMBERED = 1000;
const told = new Set<string>();

/** The default: emits each text once per process, as a process warning named `KubernetesWarning`. */
export const warnOnce: WarningHandler = (text, { code }) => {
  if (code !== 299 || text === '' || told.has(text)) return;
  if (told.size >= MAX_REMEMBERED) told.clear();
  told.add(text);
  process.emitWarning(text, 'KubernetesWarning');
};
