import { stringify } from 'yaml';
import { escapeControls } from '../../meta/escape-controls.js';

/** An object as YAML that ends without a line break, safe for terminals. */
export function yamlText(value: unknown): string {
  return escapeC1(stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd());
}

/** An object as JSON on several lines, safe for terminals. */
export function jsonText(value: unknown): string {
  return escapeC1(JSON.stringify(value, undefined, 4));
}

/** JSON and YAML allow the control characters from 0x7f to 0x9f without escapes; terminals obey some of them. */
export function escapeC1(text: string): string {
  return text.replace(/[\x7f-\x9f]/g, escapeControls);
}
