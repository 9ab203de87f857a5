/*
 * Archives in the format of POSIX (ustar), with extended headers (pax) for what does not fit into a header.
 */

export const BLOCK_BYTES = 512;

/** The types of entries that are copied, as the archive writes them. */
export const TAR_TYPES = { file: '0', hardLink: '1', symbolicLink: '2', folder: '5' } as const;

/** An entry of an archive. */
export interface TarEntry {
  readonly type: keyof typeof TAR_TYPES;
  /** With `/` between its parts. */
  readonly path: string;
  /** The length of the content; 0 unless it is a file. */
  readonly size: number;
  /** Permissions. */
  readonly mode: number;
  /** In seconds since 1970. */
  readonly mtime: number;
  /** Where a link leads to; empty otherwise. */
  readonly link: string;
}

/** The end of an archive. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK_BYTES);

/** The bytes in front of the content of an entry. */
export function tarHead(entry: TarEntry): Buffer {
  const { path, link, size } = entry;
  const extended: [string, string][] = [];
  if (!fits(path)) extended.push(['path', path]);
  if (!fits(link)) extended.push(['linkpath', link]);
  if (size > MAX_OCTAL_SIZE) extended.push(['size', String(size)]);
  const head = block(entry, TAR_TYPES[entry.type]);
  if (extended.length === 0) return head;
  const records = Buffer.from(extended.map(([name, value]) => paxRecord(name, value)).join(''));
  const pax = { ...entry, path: 'PaxHeader', link: '', size: records.length, mode: 0o644 };
  return Buffer.concat([block(pax, 'x'), records, tarPadding(records.length), head]);
}

/** Zeros that fill the last block of a content. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc(-size & (BLOCK_BYTES - 1));
}

/** The largest size that eleven octal digits can write. */
const MAX_OCTAL_SIZE = 0o77777777777;

/** Whether a field of 100 bytes can hold a text as it is. */
function fits(text: string): boolean {
  return Buffer.byteLength(text) <= 100 && /^[\x20-\x7e]*$/.test(text);
}

/** `length name=value\n`, where the length counts itself. */
function paxRecord(name: string, value: string): string {
  const rest = ` ${name}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  if (bytes + String(length).length !== length) length = bytes + String(length).length;
  return `${length}${rest}`;
}

function block({ path, link, size, mode, mtime }: TarEntry, type: string): Buffer {
  const head = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, at: number, digits: number): void => {
    head.write(Math.max(0, Math.floor(value)).toString(8).padStart(digits, '0').slice(-digits), at, 'latin1');
  };
  head.write(path, 0, 100);
  octal(mode & 0o7777, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size > MAX_OCTAL_SIZE ? 0 : size, 124, 11);
  octal(mtime, 136, 11);
  head.fill(0x20, 148, 156);
  head.write(type, 156, 'latin1');
  head.write(link, 157, 100);
  head.write('ustar\x0000', 257, 'latin1');
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return head;
}
