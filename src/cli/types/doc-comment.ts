const WIDTH = 120;

/**
 * A doc comment, or nothing without a text. A text from a definition can neither end the comment nor hide what follows: the
 * end mark is broken up, and control characters and marks of text direction are left out.
 */
export function docComment(text: string, indent: string): string {
  const lines = text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .split('\n')
    .flatMap((line) => wrapped(safe(line), WIDTH - indent.length - 3));
  while (lines.at(-1) === '') lines.pop();
  while (lines[0] === '') lines.shift();
  if (lines.length === 0) return '';
  const [first = ''] = lines;
  if (lines.length === 1 && first.length + indent.length + 7 <= WIDTH) return `${indent}/** ${first} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}

function safe(line: string): string {
  return line
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, (character) => (character === '\t' ? '  ' : ''))
    .replaceAll('*/', '*\\/')
    .trimEnd();
}

function wrapped(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const [indent = ''] = /^ */.exec(line) ?? [];
  const lines: string[] = [];
  let current = '';
  for (const word of line.trim().split(/ +/)) {
    if (current !== '' && current.length + word.length + 1 > width) {
      lines.push(current);
      current = '';
    }
    current = current === '' ? (lines.length === 0 ? indent + word : word) : `${current} ${word}`;
  }
  return [...lines, current];
}
