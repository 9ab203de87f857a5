/**
 * The scanner: one pass over JSON bytes that validates them as JSON.parse does, finds where objects start and end, and records
 * the positions of the fields that are looked for. It allocates nothing and can stop and continue at any byte, so that it
 * works on chunks as they arrive from a socket.
 *
 * This file is the source of two programs: the JavaScript scanner, and by `scripts/build-scanner.mjs` the WebAssembly scanner in
 * `scan-wasm.ts`, where `skipPlain` reads bits that vector instructions have set. It is therefore restricted to whole numbers,
 * two views of one memory, plain control flow and functions of one expression.
 *
 * The fields to look for are a small graph. A *node* is an object with *edges*, one per key to look for, or an array all
 * elements of which are looked for. Every edge has the *slot* of the same number, with the positions of its key and its
 * value. An *emission* is a value at which the scan stops: a watch event, an item of a list, the metadata of a list. Values
 * outside of all nodes are validated and skipped.
 */
import {
  AFTER_VALUE,
  AT_ROOT,
  BAD_BYTE,
  BAD_DEPTH,
  BAD_ITEMS,
  BAD_SECOND_ITEMS,
  CONTEXT,
  DEPTH,
  DEPTH_LIMIT,
  DONE,
  EDGE_COUNT,
  EDGES,
  EMIT_END,
  EMIT_START,
  EMIT_TAG,
  EMITTED,
  ESCAPED_KEY,
  FAILED,
  FAILURE,
  FIRST_SLOT,
  HEX_LEFT,
  IN_ARRAY,
  IN_KEY,
  IRREGULAR,
  KEY_BUFFER,
  KEY_BUFFER_SIZE,
  KEY_ESCAPED,
  KEY_LENGTH,
  KEY_START,
  LITERAL_AT,
  LITERALS,
  MEMBER,
  MORE,
  NODES,
  NOWHERE,
  POSITION,
  SINGLE,
  SLOTS,
  STACK,
  STATE,
} from './scan-layout.js';

// States, beside AT_ROOT, AFTER_VALUE and DONE.
const AT_VALUE = 1;
const AT_FIRST_VALUE = 2;
const AT_KEY = 3;
const AT_FIRST_KEY = 4;
const AT_COLON = 5;
/** A value inside a node has just ended; no byte is read in this state. */
const VALUE_ENDED = 7;
const INSIDE_STRING = 8;
const INSIDE_KEY = 9;
const INSIDE_ESCAPE = 10;
const INSIDE_HEX = 11;
const INSIDE_LITERAL = 12;
const AFTER_MINUS = 13;
const AFTER_ZERO = 14;
const INSIDE_INTEGER = 15;
const AFTER_POINT = 16;
const INSIDE_FRACTION = 17;
const AFTER_E = 18;
const AFTER_E_SIGN = 19;
const INSIDE_EXPONENT = 20;

/** The position of the first quote, backslash or control character from `p` on; the chunk is followed by zeros. */
function skipPlain(m8: Uint8Array, p: number): number {
  let at = p;
  for (;;) {
    const c = m8[at]!;
    if (c === 0x22 || c === 0x5c || c < 0x20) return at;
    at++;
  }
}

function isSpace(c: number): boolean {
  return c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
}

function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

/** Whether a backslash and this byte are an escape of two bytes. */
function isShortEscape(c: number): boolean {
  return c === 0x22 || c === 0x5c || c === 0x2f || c === 0x62 || c === 0x66 || c === 0x6e || c === 0x72 || c === 0x74;
}

/** Scans the bytes from address `from` to `to`, the end of the chunk; returns why it stopped. */
export function scan(m8: Uint8Array, m32: Int32Array, from: number, to: number): number {
  let p = from;
  let state = m32[STATE]!;
  let depth = m32[DEPTH]!;
  let context = m32[CONTEXT]!;
  let inArray = m32[IN_ARRAY]!;
  const limit = m32[DEPTH_LIMIT]!;
  let result = MORE;
  let c = 0;
  let q = 0;
  let edge = 0;
  let last = 0;
  let length = 0;
  let at = 0;
  let k = 0;
  let child = 0;
  let tag = 0;

  // The usual reason of a failure; the others set their own.
  m32[FAILURE] = BAD_BYTE;

  main: while (p < to || state === VALUE_ENDED) {
    c = m8[p]!;
    switch (state) {
      case AT_ROOT: {
        if (isSpace(c)) {
          p++;
          continue main;
        }
        // Documents are objects. A number at the root would have no delimiter that ends it.
        if (c !== 0x7b) {
          result = FAILED;
          break main;
        }
        state = AT_VALUE;
        continue main;
      }

      case AT_FIRST_VALUE:
      case AT_VALUE: {
        if (isSpace(c)) {
          p++;
          continue main;
        }
        if (c === 0x5d && state === AT_FIRST_VALUE) {
          state = AFTER_VALUE;
          continue main;
        }
        child = 0;
        if (context !== 0) {
          tag = 0;
          if (inArray !== 0) {
            tag = m32[NODES + context * 4 + 2]! - 1;
            child = m32[NODES + context * 4 + 3]!;
          } else {
            edge = m32[MEMBER + depth]! - 1;
            if (edge >= 0) {
              m32[SLOTS + edge * 3 + 1] = p;
              child = m32[EDGES + edge * 4 + 2]!;
              tag = m32[EDGES + edge * 4 + 3]! - 1;
              // The items of a list are an array, or null.
              if (m32[NODES + child * 4 + 2]! > 0 && c !== 0x5b && c !== 0x6e) {
                m32[FAILURE] = BAD_ITEMS;
                result = FAILED;
                break main;
              }
            }
          }
          if (tag > 0) {
            m32[EMIT_TAG] = tag;
            m32[EMIT_START] = p;
            m32[IRREGULAR] = 0;
            k = m32[FIRST_SLOT]!;
            last = m32[EDGE_COUNT]!;
            while (k < last) {
              m32[SLOTS + k * 3 + 1] = NOWHERE;
              k++;
            }
          }
        }
        if (c === 0x22) {
          p++;
          q = skipPlain(m8, p);
          if (m8[q] === 0x22) {
            p = q + 1;
            state = context !== 0 ? VALUE_ENDED : AFTER_VALUE;
          } else {
            p = q;
            state = INSIDE_STRING;
          }
          continue main;
        }
        if (c === 0x7b || c === 0x5b) {
          if (depth >= limit) {
            m32[FAILURE] = BAD_DEPTH;
            result = FAILED;
            break main;
          }
          m8[STACK + depth] = (context << 1) | inArray;
          depth++;
          p++;
          k = m32[NODES + child * 4 + 2]!;
          if (c === 0x7b) {
            context = k > 0 ? 0 : child;
            inArray = 0;
            if (context !== 0) m32[MEMBER + depth] = 0;
            state = AT_FIRST_KEY;
          } else {
            context = k > 0 ? child : 0;
            inArray = 1;
            state = AT_FIRST_VALUE;
          }
          continue main;
        }
        p++;
        if (c >= 0x31 && c <= 0x39) {
          while (p < to && m8[p]! >= 0x30 && m8[p]! <= 0x39) p++;
          state = INSIDE_INTEGER;
          continue main;
        }
        if (c === 0x30) {
          state = AFTER_ZERO;
          continue main;
        }
        if (c === 0x2d) {
          state = AFTER_MINUS;
          continue main;
        }
        state = INSIDE_LITERAL;
        if (c === 0x74) {
          m32[LITERAL_AT] = LITERALS;
          continue main;
        }
        if (c === 0x66) {
          m32[LITERAL_AT] = LITERALS + 4;
          continue main;
        }
        if (c === 0x6e) {
          m32[LITERAL_AT] = LITERALS + 9;
          continue main;
        }
        p--;
        result = FAILED;
        break main;
      }

      case AT_FIRST_KEY:
      case AT_KEY: {
        if (c === 0x22) {
          // Fast path outside of nodes: scans member after member without a round through the states. Rare, invalid and
          // incomplete values are left to the states.
          members: while (context === 0) {
            q = skipPlain(m8, p + 1);
            c = m8[q + 1]!;
            while (m8[q] === 0x5c && isShortEscape(c)) {
              q = skipPlain(m8, q + 2);
              c = m8[q + 1]!;
            }
            p = q;
            if (m8[q] !== 0x22) {
              state = INSIDE_KEY;
              continue main;
            }
            p++;
            if (c !== 0x3a) {
              state = AT_COLON;
              continue main;
            }
            p++;
            c = m8[p]!;
            if (c === 0x22) {
              q = skipPlain(m8, p + 1);
              c = m8[q + 1]!;
              while (m8[q] === 0x5c && isShortEscape(c)) {
                q = skipPlain(m8, q + 2);
                c = m8[q + 1]!;
              }
              p = q;
              if (m8[q] !== 0x22) {
                state = INSIDE_STRING;
                continue main;
              }
              p++;
            } else if (c === 0x7b && depth < limit) {
              m8[STACK + depth] = 0;
              depth++;
              p++;
              if (m8[p] === 0x22) continue;
              if (m8[p] !== 0x7d) {
                state = AT_FIRST_KEY;
                continue main;
              }
            } else if (c === 0x5b && m8[p + 1] === 0x7b && depth + 1 < limit) {
              m8[STACK + depth] = 0;
              m8[STACK + depth + 1] = 1;
              depth = depth + 2;
              p = p + 2;
              if (m8[p] === 0x22) continue;
              if (m8[p] !== 0x7d) {
                state = AT_FIRST_KEY;
                continue main;
              }
            } else if (c >= 0x31 && c <= 0x39) {
              p++;
              while (p < to && m8[p]! >= 0x30 && m8[p]! <= 0x39) p++;
              if (m8[p] !== 0x2c && m8[p] !== 0x7d) {
                state = INSIDE_INTEGER;
                continue main;
              }
            } else if (c === 0x74 && m8[p + 1] === 0x72 && p + 4 <= to && m8[p + 2] === 0x75 && m8[p + 3] === 0x65) {
              p = p + 4;
            } else {
              state = AT_VALUE;
              continue main;
            }
            // After a value: closes containers, and checks whether another member follows.
            while (m8[p] !== 0x2c || m8[p + 1] !== 0x22) {
              if (m8[p] !== 0x7d) {
                state = AFTER_VALUE;
                continue main;
              }
              p++;
              depth--;
              k = m8[STACK + depth]!;
              while (k === 1) {
                // An object in an array has ended.
                if (m8[p] === 0x2c && m8[p + 1] === 0x7b && m8[p + 2] === 0x22) {
                  p = p + 2;
                  depth++;
                  continue members;
                }
                if (m8[p] !== 0x5d) {
                  inArray = 1;
                  state = AFTER_VALUE;
                  continue main;
                }
                p++;
                depth--;
                k = m8[STACK + depth]!;
              }
              if (k !== 0) {
                inArray = k & 1;
                context = k >> 1;
                state = VALUE_ENDED;
                continue main;
              }
            }
            p++;
          }
          // Fast path for strings in a node, such as name, uid and resourceVersion. Any other value goes through the states,
          // from its key on.
          while (p < to) {
            q = skipPlain(m8, p + 1);
            if (m8[q] !== 0x22 || m8[q + 1] !== 0x3a || m8[q + 2] !== 0x22) break;
            at = skipPlain(m8, q + 3);
            if (m8[at] !== 0x22) break;
            length = q - p - 1;
            edge = m32[NODES + context * 4]!;
            last = edge + m32[NODES + context * 4 + 1]!;
            while (edge < last) {
              if (m32[EDGES + edge * 4 + 1] === length) {
                c = m32[EDGES + edge * 4]!;
                k = 0;
                while (k < length && m8[c + k] === m8[p + 1 + k]) k++;
                if (k === length) break;
              }
              edge++;
            }
            if (edge < last) {
              if (m32[EDGES + edge * 4 + 2] !== 0 || m32[EDGES + edge * 4 + 3] !== 0) break;
              if (m32[SLOTS + edge * 3 + 1] !== NOWHERE) break;
              m32[SLOTS + edge * 3] = p;
              m32[SLOTS + edge * 3 + 1] = q + 2;
              m32[SLOTS + edge * 3 + 2] = at + 1;
            }
            p = at + 1;
            if (m8[p] !== 0x2c || m8[p + 1] !== 0x22) {
              state = AFTER_VALUE;
              continue main;
            }
            p++;
          }
          m32[KEY_START] = p;
          m32[KEY_LENGTH] = 0;
          m32[KEY_ESCAPED] = 0;
          p++;
          state = INSIDE_KEY;
          continue main;
        }
        if (isSpace(c)) {
          p++;
          continue main;
        }
        if (c === 0x7d && state === AT_FIRST_KEY) {
          state = AFTER_VALUE;
          continue main;
        }
        result = FAILED;
        break main;
      }

      case INSIDE_KEY: {
        q = skipPlain(m8, p);
        if (context === 0) {
          if (m8[q] === 0x22) {
            p = q + 1;
            state = AT_COLON;
            continue main;
          }
        } else {
          length = m32[KEY_LENGTH]!;
          at = p;
          k = q - p;
          if (length !== 0 || q === to || m8[q] !== 0x22) {
            // The key spans chunks or has escapes: its parts are collected in the key buffer.
            k = p;
            while (k < q) {
              if (length < KEY_BUFFER_SIZE) {
                m8[KEY_BUFFER + length] = m8[k]!;
                length++;
              }
              k++;
            }
            m32[KEY_LENGTH] = length;
            at = KEY_BUFFER;
            k = length;
          }
          length = k;
          if (m8[q] === 0x22) {
            p = q + 1;
            state = AT_COLON;
            if (m32[KEY_ESCAPED] !== 0) {
              result = ESCAPED_KEY;
              break main;
            }
            edge = m32[NODES + context * 4]!;
            last = edge + m32[NODES + context * 4 + 1]!;
            while (edge < last) {
              if (m32[EDGES + edge * 4 + 1] === length) {
                q = m32[EDGES + edge * 4]!;
                k = 0;
                while (k < length && m8[q + k] === m8[at + k]) k++;
                if (k === length) break;
              }
              edge++;
            }
            if (edge < last) {
              m32[MEMBER + depth] = edge + 1;
              if (m32[SLOTS + edge * 3 + 1] !== NOWHERE) {
                m32[IRREGULAR] = 1;
                if (m32[NODES + m32[EDGES + edge * 4 + 2]! * 4 + 2]! > 0) {
                  m32[FAILURE] = BAD_SECOND_ITEMS;
                  result = FAILED;
                  break main;
                }
              }
              m32[SLOTS + edge * 3] = m32[KEY_START]!;
            }
            continue main;
          }
        }
        p = q;
        if (q === to) break main;
        if (m8[q] === 0x5c) {
          p++;
          m32[IN_KEY] = 1;
          state = INSIDE_ESCAPE;
          if (context !== 0) {
            m32[KEY_ESCAPED] = 1;
            length = m32[KEY_LENGTH]!;
            if (length < KEY_BUFFER_SIZE) {
              m8[KEY_BUFFER + length] = 0x5c;
              m32[KEY_LENGTH] = length + 1;
            }
          }
          continue main;
        }
        result = FAILED;
        break main;
      }

      case AT_COLON: {
        if (c === 0x3a) {
          p++;
          state = AT_VALUE;
          continue main;
        }
        if (isSpace(c)) {
          p++;
          continue main;
        }
        result = FAILED;
        break main;
      }

      case AFTER_VALUE: {
        if (c === 0x2c) {
          p++;
          state = inArray !== 0 ? AT_VALUE : AT_KEY;
          continue main;
        }
        if ((c === 0x7d && inArray === 0) || (c === 0x5d && inArray !== 0)) {
          p++;
          depth--;
          k = m8[STACK + depth]!;
          inArray = k & 1;
          context = k >> 1;
          state = context !== 0 ? VALUE_ENDED : AFTER_VALUE;
          continue main;
        }
        if (isSpace(c)) {
          p++;
          continue main;
        }
        result = FAILED;
        break main;
      }

      case VALUE_ENDED: {
        state = AFTER_VALUE;
        tag = 0;
        if (inArray !== 0) {
          tag = m32[NODES + context * 4 + 2]! - 1;
          if (depth === 0) state = m32[SINGLE] !== 0 ? DONE : AT_ROOT;
        } else {
          edge = m32[MEMBER + depth]! - 1;
          if (edge >= 0) {
            m32[SLOTS + edge * 3 + 2] = p;
            m32[MEMBER + depth] = 0;
            tag = m32[EDGES + edge * 4 + 3]! - 1;
          }
        }
        if (tag > 0) {
          m32[EMIT_END] = p;
          result = EMITTED;
          break main;
        }
        continue main;
      }

      case INSIDE_STRING: {
        p = skipPlain(m8, p);
        if (p === to) break main;
        c = m8[p]!;
        if (c === 0x22) {
          p++;
          state = context !== 0 ? VALUE_ENDED : AFTER_VALUE;
          continue main;
        }
        if (c === 0x5c) {
          p++;
          m32[IN_KEY] = 0;
          state = INSIDE_ESCAPE;
          continue main;
        }
        result = FAILED;
        break main;
      }

      case INSIDE_ESCAPE:
      case INSIDE_HEX: {
        if (state === INSIDE_HEX) {
          if (!(isDigit(c) || ((c | 0x20) >= 0x61 && (c | 0x20) <= 0x66))) {
            result = FAILED;
            break main;
          }
          k = m32[HEX_LEFT]! - 1;
          m32[HEX_LEFT] = k;
          if (k === 0) state = m32[IN_KEY] !== 0 ? INSIDE_KEY : INSIDE_STRING;
        } else if (c === 0x75) {
          m32[HEX_LEFT] = 4;
          state = INSIDE_HEX;
        } else if (isShortEscape(c)) {
          state = m32[IN_KEY] !== 0 ? INSIDE_KEY : INSIDE_STRING;
        } else {
          result = FAILED;
          break main;
        }
        p++;
        if (m32[IN_KEY] !== 0 && context !== 0) {
          length = m32[KEY_LENGTH]!;
          if (length < KEY_BUFFER_SIZE) {
            m8[KEY_BUFFER + length] = c;
            m32[KEY_LENGTH] = length + 1;
          }
        }
        continue main;
      }

      case INSIDE_LITERAL: {
        k = m32[LITERAL_AT]!;
        if (c !== m8[k]) {
          result = FAILED;
          break main;
        }
        p++;
        m32[LITERAL_AT] = k + 1;
        if (m8[k + 1] === 0) state = context !== 0 ? VALUE_ENDED : AFTER_VALUE;
        continue main;
      }

      case AFTER_MINUS: {
        if (!isDigit(c)) {
          result = FAILED;
          break main;
        }
        p++;
        state = c === 0x30 ? AFTER_ZERO : INSIDE_INTEGER;
        continue main;
      }

      case AFTER_ZERO:
      case INSIDE_INTEGER: {
        if (state === INSIDE_INTEGER && isDigit(c)) {
          p++;
          continue main;
        }
        if (c === 0x2e) {
          p++;
          state = AFTER_POINT;
          continue main;
        }
        if ((c | 0x20) === 0x65) {
          p++;
          state = AFTER_E;
          continue main;
        }
        state = context !== 0 ? VALUE_ENDED : AFTER_VALUE;
        continue main;
      }

      case AFTER_POINT:
      case INSIDE_FRACTION: {
        if (isDigit(c)) {
          p++;
          state = INSIDE_FRACTION;
          continue main;
        }
        if (state === AFTER_POINT) {
          result = FAILED;
          break main;
        }
        if ((c | 0x20) === 0x65) {
          p++;
          state = AFTER_E;
          continue main;
        }
        state = context !== 0 ? VALUE_ENDED : AFTER_VALUE;
        continue main;
      }

      case AFTER_E: {
        state = AFTER_E_SIGN;
        if (c === 0x2b || c === 0x2d) p++;
        continue main;
      }

      case AFTER_E_SIGN:
      case INSIDE_EXPONENT: {
        if (isDigit(c)) {
          p++;
          state = INSIDE_EXPONENT;
          continue main;
        }
        if (state === AFTER_E_SIGN) {
          result = FAILED;
          break main;
        }
        state = context !== 0 ? VALUE_ENDED : AFTER_VALUE;
        continue main;
      }

      default: {
        // DONE: only whitespace may follow the document.
        if (isSpace(c)) {
          p++;
          continue main;
        }
        result = FAILED;
        break main;
      }
    }
  }

  m32[POSITION] = p;
  m32[STATE] = state;
  m32[DEPTH] = depth;
  m32[CONTEXT] = context;
  m32[IN_ARRAY] = inArray;
  return result;
}
