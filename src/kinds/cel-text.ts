/*
 * What the text of a CEL rule tells. Only servers parse, check and price rules as a whole; `defineResource` looks for the
 * frequent mistakes, so that programs need no CEL compiler.
 */

/** A path from `self` that a rule reads. */
export interface CelPath {
  /** The identifiers after `self`, without the method. */
  readonly fields: readonly string[];
  /** The method that the rule calls on the value: `all`, `size`. */
  readonly method: string | undefined;
}

/** The paths that a rule reads from `self`. */
export function celPaths(rule: string): CelPath[] {
  const paths = withoutLiterals(rule).matchAll(/(?<![\w.])self((?:\s*\.\s*[A-Za-z_]\w*)*)(\s*\()?/g);
  return [...paths].map(([, members = '', call]) => {
    const fields = members.split('.').flatMap((member) => member.trim() || []);
    return { method: call === undefined ? undefined : fields.pop(), fields };
  });
}

/** Whether a rule compares with the value before the change. */
export function readsOldSelf(rule: string): boolean {
  return /(?<![\w.])oldSelf\b/.test(withoutLiterals(rule));
}

const LITERALS =
  /"""[\s\S]*?"""|'''[\s\S]*?'''|[rR]"[^"\n]*"|[rR]'[^'\n]*'|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*/g;

/** The rule with empty strings in the place of its strings, and without comments. */
function withoutLiterals(rule: string): string {
  return rule.replace(LITERALS, "''");
}
