/**
 * The layout of the scanner's memory, which is accessed by two views: 32-bit words and bytes.
 *
 * ```
 * memory  registers │ slots │ nodes │ edges │ member │ literals │ path keys │ key buffer │ stack │ window │ blocks │ marks
 *         └──────────────────── state of one decoder, copied in and out ──────────────────────┘ └ bytes to scan ┘
 * ```
 */

// Registers: the state of an interrupted scan. Indexes of 32-bit words.
export const STATE = 0;
export const DEPTH = 1;
/** The node of the innermost open container, or 0 if no field of it is looked for. */
export const CONTEXT = 2;
/** 1 in an array, 0 in an object. */
export const IN_ARRAY = 3;
/** The address at which the scan stopped. */
export const POSITION = 4;
export const EMIT_START = 5;
export const EMIT_END = 6;
/** The tag of the current emission, or 0. */
export const EMIT_TAG = 7;
/** 1 if a key that is looked for came twice in this emission: then its slots are not sufficient. */
export const IRREGULAR = 8;
export const KEY_START = 9;
/** The number of bytes of an incomplete key in the key buffer. */
export const KEY_LENGTH = 10;
export const KEY_ESCAPED = 11;
export const IN_KEY = 12;
export const HEX_LEFT = 13;
export const LITERAL_AT = 14;
/** Why the scan failed: one of the `BAD_` codes. */
export const FAILURE = 15;
/** 1 if the stream is one document, 0 if it is a sequence of documents. */
export const SINGLE = 16;
export const EDGE_COUNT = 17;
/** The slots from here on belong to an emission and are cleared when the next one begins. */
export const FIRST_SLOT = 18;
/** The most open containers around a value: {@link MAX_DEPTH} of an object, and those of the list or event around it. */
export const DEPTH_LIMIT = 19;

// Tables. Indexes of 32-bit words.
/** Three words each: start of the key, start of the value, end of the value. */
export const SLOTS = 32;
/** Four words each: first edge, number of edges, tag of each element plus one (0: not an array), node of each element. */
export const NODES = 320;
/** Four words each: address of the key, its length, node of the value, tag of the emission plus one (0: none). */
export const EDGES = 704;
/** Per depth, up to the depth of the nodes: the edge (plus one) whose value is being scanned. */
export const MEMBER = 1088;
/** The largest number of slots, of nodes and of edges. */
export const MAX_EDGES = 96;

// Addresses of bytes.
export const LITERALS = 4864;
export const PATH_KEYS = 4880;
export const PATH_KEYS_SIZE = 7168;
export const KEY_BUFFER = 12048;
/** A name in a path has at most 512 bytes, and an escape takes at most six for one: no longer key can match. */
export const KEY_BUFFER_SIZE = 3584;
/** One byte per depth: the CONTEXT and IN_ARRAY around it. Last, because most of it is unused. */
export const STACK = 15632;
/** The deepest nesting of an object: the limit of Go's encoding/json, and so of every API server. */
export const MAX_DEPTH = 10_000;
/** Everything before this address is the state of one decoder. */
export const STATE_SIZE = 25648;
/** Chunks that are not in a block are copied here. */
export const WINDOW = 25664;
export const WINDOW_SIZE = 65536;
/** Vector instructions read up to this far past the end of a chunk. The start of every chunk is a multiple of it. */
export const PADDING = 64;
/** Blocks for incoming chunks, which are then scanned in place. */
export const BLOCKS = 91264;
export const BLOCK_COUNT = 32;
/** One bit for every byte before this address: set for quotes, backslashes and control characters. @internal */
export const MARKS = 2190464;
/** 38 pages of WebAssembly memory; a page takes no memory before it is used. */
export const MEMORY_SIZE = 2490368;

/** No position. Other positions may be negative: they are before the current chunk. */
export const NOWHERE = -1073741824;

// What `scan` returns.
/** The end of the chunk. */
export const MORE = 0;
/** An emission is complete: EMIT_TAG, EMIT_START, EMIT_END and the slots describe it. */
export const EMITTED = 1;
/** A key with escapes ended inside a node; it is in the key buffer, and the caller must set MEMBER at this depth. */
export const ESCAPED_KEY = 2;
/** The bytes are invalid: FAILURE says why and POSITION where. */
export const FAILED = 3;

export const BAD_BYTE = 1;
export const BAD_DEPTH = 2;
export const BAD_SECOND_ITEMS = 3;
export const BAD_ITEMS = 4;

// States that other files use.
/** Before a document. */
export const AT_ROOT = 0;
/** After a value in an object or array. */
export const AFTER_VALUE = 6;
/** The single document is complete: only whitespace may follow. */
export const DONE = 21;
