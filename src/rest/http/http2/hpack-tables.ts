/** The tables of HPACK (RFC 7541, appendices A and B). */

/** The static table: names and values of the entries from 1 on. */
export const staticTable: readonly (readonly [name: string, value: string])[] = [
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  [':status', '200'],
  [':status', '204'],
  [':status', '206'],
  [':status', '304'],
  [':status', '400'],
  [':status', '404'],
  [':status', '500'],
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ...[
    'accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control',
    'content-disposition content-encoding content-language content-length content-location content-range content-type',
    'cookie date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since',
    'last-modified link location max-forwards proxy-authenticate proxy-authorization range referer refresh retry-after',
    'server set-cookie strict-transport-security transfer-encoding user-agent vary via www-authenticate',
  ]
    .join(' ')
    .split(' ')
    .map((name) => [name, ''] as const),
];

/** What an entry of the dynamic table takes beside its name and value. */
export const ENTRY_OVERHEAD_BYTES = 32;

/**
 * The lengths of the Huffman codes in bits, for the bytes 0 to 255 and the end of the string (EOS): 'A' is 5, 'B' is 6 and so on.
 * The lengths determine the codes: codes of one length follow each other in the order of their bytes.
 */
const huffmanLengths =
  'ISXXXXXXXTZXXZXXXXXXXXZXXXXXXXXXBFFHIBDGFFDGDBBBAAABBBBBBBCDKBHFIBCCCCCCCCCCCCCCCCCCCCCCDCDIOIJB' +
  'KABABABBBACCBBBABCBAABCCCCCKGJIXPRPPRRRSRSSSSSTSTTRSTSSSSQRSRSSTRQPRRSSQSRRTQRSSQQRQSRSSPRRRSRRS' +
  'VVPORSRUVVVWWVTUOQVWWVWTQQVVXWWWPTPQRQQSRRUUTTVSVWVVWWWWWXWWWWWVZ';

/** The symbol after the bytes: the end of the string, which must not occur in one. */
export const EOS = 256;

/**
 * The Huffman codes as a binary tree: entries 2n and 2n + 1 are the children of node n for the bits 0 and 1. A child is the number
 * of a node, or of a symbol as -1 - symbol.
 */
export function huffmanTree(): Int16Array {
  const symbols = Array.from(huffmanLengths, (letter, symbol) => ({ symbol, length: letter.charCodeAt(0) - 60 }));
  symbols.sort((a, b) => a.length - b.length || a.symbol - b.symbol);
  const tree = new Int16Array(2 * EOS);
  let nodes = 1;
  let code = 0;
  let length = 0;
  for (const { symbol, length: bits } of symbols) {
    code *= 2 ** (bits - length);
    length = bits;
    let node = 0;
    for (let bit = bits - 1; bit > 0; bit--) {
      const child = 2 * node + ((code >> bit) & 1);
      if (tree[child] === 0) tree[child] = nodes++;
      node = tree[child]!;
    }
    tree[2 * node + (code & 1)] = -1 - symbol;
    code++;
  }
  return tree;
}
