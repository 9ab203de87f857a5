import { escapeControls } from '../../meta/escape-controls.js';

/** What a server has to say beside its answer: that an API will go away, or that a field was ignored. */
interface ServerWarning {
  /** 299 for everything a Kubernetes server says. */
  readonly code: number;
  /** Who says it; `-` if it does not matter. */
  readonly agent: string;
  readonly text: string;
}

/** Gets each warning of an answer. */
export type WarningHandler = (text: string, warning: ServerWarning) => void;

const token = '[^\\s",]+';
const quoted = '"((?:[^"\\\\]|\\\\.)*)"';
/** One value: code, agent, quoted text and, from older servers, a quoted date. */
const warningPattern = new RegExp(`\\s*(\\d{3}) (${token}) ${quoted}(?: ${quoted})?\\s*(?:,|$)`, 'y');

/** @internal The warnings of a `Warning` header, several of which may be joined by commas. What does not follow the form ends it. */
export function parseWarnings(header: string): ServerWarning[] {
  const warnings: ServerWarning[] = [];
  warningPattern.lastIndex = 0;
  for (let match = warningPattern.exec(header); match !== null; match = warningPattern.exec(header)) {
    const [, code, agent, text] = match as unknown as [string, string, string, string];
    warnings.push({ code: Number(code), agent, text: unquote(text) });
    if (warningPattern.lastIndex >= header.length) break;
  }
  return warnings;
}

/** Tells a handler the warnings of a `Warning` header, if there is one. What it throws is not the fault of the request. */
export function tellWarnings(header: string | undefined, handler: WarningHandler): void {
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
  // A warning must not steer somebody's terminal.
  const plain = text.replace(/\\(.)/g, '$1').replace(/\p{Cc}/gu, (control) => (control < '\x80' ? '' : control));
  // Servers send UTF-8 here, which HTTP parsers read byte by byte.
  const decoded = Buffer.from(plain, 'latin1').toString('utf8');
  return escapeControls(/[^\0-\xff]/.test(plain) || decoded.includes('\ufffd') ? plain : decoded);
}

/** A server that makes up texts must not fill the memory of its clients. */
const MAX_REMEMBERED = 1000;
const told = new Set<string>();

/** The default: each text once in the life of the process, as a process warning. */
export const warnOnce: WarningHandler = (text, { code }) => {
  if (code !== 299 || text === '' || told.has(text)) return;
  if (told.size >= MAX_REMEMBERED) told.clear();
  told.add(text);
  process.emitWarning(text, 'KubernetesWarning');
};
