/**
 * Where the scanner keeps what, in the one memory it works on. Two views of it are used: 32-bit words and bytes.
 *
 * ```
 * memory  registers │ slots │ nodes │ edges │ member │ literals │ path keys │ key buffer │ stack │ window │ blocks │ marks
 *         └──────────────────── one decoder's own, swapped in and out ────────────────────────┘ └ bytes to scan ┘
 * ```
 */

// Registers: where the scanner left off. Indexes of 32-bit words.
export const STATE = 0;
export const DEPTH = 1;
/** The node of the innermost open container, or 0 when nobody asks for anything in it. */
export const CONTEXT = 2;
/** 1 in an array, 0 in an object. */
export const IN_ARRAY = 3;
/** Where the scanner stopped reading. */
export const POSITION = 4;
export const EMIT_START = 5;
export const EMIT_END = 6;
/** Which emission is under way, or 0. */
export const EMIT_TAG = 7;
/** 1 when a wanted key came twice in this emission: then whoever wants it must look at all of the bytes. */
export const IRREGULAR = 8;
export const KEY_START = 9;
/** How much of an unfinished key is in the key buffer. */
export const KEY_LENGTH = 10;
export const KEY_ESCAPED = 11;
export const IN_KEY = 12;
export const HEX_LEFT = 13;
export const LITERAL_AT = 14;
/** Why the scanner gave up: one of the `BAD_` codes. */
export const FAILURE = 15;
/** 1 when there is one document, 0 when there is one after the other. */
export const SINGLE = 16;
export const EDGE_COUNT = 17;
/** The slots from here on belong to an emission and are cleared when the next one begins. */
export const FIRST_SLOT = 18;
/** How many containers may be open around a value: {@link MAX_DEPTH} of an object, and those of the list or event around it. */
export const DEPTH_LIMIT = 19;

// Tables. Indexes of 32-bit words.
/** Three words each: start of the key, start of the value, end of the value. */
export const SLOTS = 32;
/** Four words each: first edge, number of edges, tag of each element plus one (0: not an array), node of each element. */
export const NODES = 320;
/** Four words each: address of the key, its length, node of the value, tag of the emission plus one (0: none). */
export const EDGES = 704;
/** Per depth, as far down as nodes can be: the edge (plus one) whose value is being read. */
export const MEMBER = 1088;
/** The most slots, nodes and edges there can be. */
export const MAX_EDGES = 96;

// Addresses of bytes.
export const LITERALS = 4864;
export const PATH_KEYS = 4880;
export const PATH_KEYS_SIZE = 7168;
export const KEY_BUFFER = 12048;
/** A path's part has at most 512 bytes, and no escape takes more than six for one: a longer key cannot be wanted. */
export const KEY_BUFFER_SIZE = 3584;
/** Per depth one byte: what was the context around it, and whether that was an array. Last, because most of it is unused. */
export const STACK = 15632;
/** How deep an object may be nested: as deep as Go's encoding/json, and so any API server, accepts. */
export const MAX_DEPTH = 10_000;
/** Everything before this address is the state of one decoder. */
export const STATE_SIZE = 25648;
/** Where bytes are copied to that are somewhere else. */
export const WINDOW = 25664;
export const WINDOW_SIZE = 65536;
/** What vectors may read past the end of bytes. Everything that is scanned begins at a multiple of it. */
export const PADDING = 64;
/** Windows that decoders take in turn for what comes in, so that it need not be copied once more. */
export const BLOCKS = 91264;
export const BLOCK_COUNT = 32;
/** A bit for every byte before this address: which of those that are scanned end or break a string. @internal */
export const MARKS = 2190464;
/** Thirty-eight pages of WebAssembly memory; none costs anything before it is used. */
export const MEMORY_SIZE = 2490368;

/** No position. Others may be negative: before the chunk that is being read. */
export const NOWHERE = -1073741824;

// What `scan` returns.
/** The chunk has been read. */
export const MORE = 0;
/** An emission is complete: EMIT_TAG, EMIT_START, EMIT_END and the slots describe it. */
export const EMITTED = 1;
/** A key with escapes ended inside a node; it is in the key buffer, and MEMBER at this depth is for the caller to set. */
export const ESCAPED_KEY = 2;
/** These bytes are not acceptable: FAILURE says why and POSITION where. */
export const FAILED = 3;

export const BAD_BYTE = 1;
export const BAD_DEPTH = 2;
export const BAD_SECOND_ITEMS = 3;
export const BAD_ITEMS = 4;

// States that others ask for.
/** Before a document. */
export const AT_ROOT = 0;
/** Behind a value in an object or array. */
export const AFTER_VALUE = 6;
/** The single document is complete: only whitespace may follow. */
export const DONE = 21;
