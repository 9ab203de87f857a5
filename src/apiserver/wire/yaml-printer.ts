import { yamlNumberOf } from '../../codec/yaml/yaml-numbers.js';
import { getField, isJsonObject } from '../../meta/json-values.js';

/** Words that YAML 1.1 reads as booleans or null. */
const WORDS =
  /^(?:[yY]|[nN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|true|True|TRUE|false|False|FALSE|null|Null|NULL|~)$/;
/** Texts that some parsers read as sexagesimal numbers, dates or merge keys. */
const OTHER_TYPES = /^(?:[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*|<<|=)$/;
/** Beginnings and parts that give a plain text another meaning. */
const INDICATORS = /^[,[\]{}#&*!|>'"%@`]|^[-?:](?:\s|$)|^---|^\.\.\.|: |:$| #|^\s|\s$/;
/** Characters that are escaped: control characters except line feeds, other line breaks, byte order marks, and what is not in the first plane. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: YAML has escapes for them
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;
/** The escapes that have a letter; they are not those of JSON. */
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '\0': '0',
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\x1b': 'e',
  '\x85': 'N',
  '\u2028': 'L',
  '\u2029': 'P',
};

/**
 * Prints a JSON value as YAML, as kube-apiserver does: keys are sorted, lists are not indented, texts are quoted where YAML
 * 1.1 would read something else.
 *
 * @param indent the blanks before each line
 */
export function printYaml(value: unknown, indent = ''): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return `${indent}[]\n`;
    return value.map((item) => printItem(item, indent)).join('');
  }
  if (isJsonObject(value)) {
    const names = Object.keys(value).sort();
    if (names.length === 0) return `${indent}{}\n`;
    return names.map((name) => printMember(name, getField(value, name), indent)).join('');
  }
  return `${indent}${printScalar(value, indent)}\n`;
}

/** A member of a map, with its key. */
export function printMember(name: string, value: unknown, indent: string): string {
  if (name.includes('\n') && !UNPRINTABLE.test(name)) return printLongMember(name, value, indent);
  const key = `${indent}${printText(name, indent)}:`;
  if (isEmptyOrScalar(value)) return `${key} ${printScalar(value, `${indent}  `)}\n`;
  return `${key}\n${printYaml(value, Array.isArray(value) ? indent : `${indent}  `)}`;
}

/** A member whose key has several lines: key and value have lines of their own. */
function printLongMember(name: string, value: unknown, indent: string): string {
  const inner = `${indent}  `;
  const printed = isEmptyOrScalar(value)
    ? `${printScalar(value, inner)}\n`
    : printYaml(value, inner).slice(inner.length);
  return `${indent}? ${printText(name, inner)}\n${indent}: ${printed}`;
}

/** An item of a list, with its dash. */
export function printItem(value: unknown, indent: string): string {
  if (isEmptyOrScalar(value)) return `${indent}- ${printScalar(value, `${indent}  `)}\n`;
  const inner = `${indent}  `;
  return `${indent}- ${printYaml(value, inner).slice(inner.length)}`;
}

function isEmptyOrScalar(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return !isJsonObject(value) || Object.keys(value).length === 0;
}

function printScalar(value: unknown, indent: string): string {
  if (Array.isArray(value)) return '[]';
  if (typeof value === 'string') return printText(value, indent);
  return isJsonObject(value) ? '{}' : String(value);
}

function printText(text: string, indent: string): string {
  if (text === '') return '""';
  if (UNPRINTABLE.test(text)) return quoted(text);
  if (text.includes('\n')) return printLines(text, indent);
  // Texts that would be read as another type are in double quotes, all others that need quotes in single ones.
  if (WORDS.test(text) || OTHER_TYPES.test(text) || yamlNumberOf(text) !== undefined) return JSON.stringify(text);
  return INDICATORS.test(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

/** A text in double quotes, with escapes. */
function quoted(text: string): string {
  let escaped = '';
  for (const character of text) {
    const letter = ESCAPES[character];
    if (letter !== undefined) escaped += `\\${letter}`;
    else if (UNPRINTABLE.test(character)) escaped += escapedCode(character.codePointAt(0) as number);
    else escaped += character;
  }
  return `"${escaped}"`;
}

function escapedCode(code: number): string {
  const digits = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}

/** A text of several lines as a literal block. */
function printLines(text: string, indent: string): string {
  // A blank at the end of a line could not be seen.
  if (/^[ \n]| $| \n/.test(text)) return quoted(text);
  const end = text.endsWith('\n\n') ? '+' : text.endsWith('\n') ? '' : '-';
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const inner = indent === '' ? '  ' : indent;
  return `|${end}\n${lines.map((line) => (line === '' ? '' : `${inner}${line}`)).join('\n')}`;
}
