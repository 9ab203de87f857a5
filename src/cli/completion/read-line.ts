import type { Command } from '../command.js';
import type { ClusterChoice } from '../connect.js';

/** What is typed before the cursor, and what kind of word is being typed. */
export type TypedLine = {
  readonly choice: ClusterChoice;
  /** The value of `--namespace`. */
  readonly namespace: string | undefined;
  /** The arguments before the word. */
  readonly positionals: readonly string[];
} & (
  | { readonly completes: 'option'; readonly options: readonly string[] }
  | {
      readonly completes: 'value';
      readonly option: string;
      readonly values: readonly string[];
      /** What of the word is not the value: `--output=`. */
      readonly before: string;
    }
  | { readonly completes: 'argument'; readonly word: string }
);

/** An option of a command, as its help describes it. */
interface HelpOption {
  readonly long: string;
  readonly short: string | undefined;
  readonly takesValue: boolean;
  /** The words that its value can be, if the help lists them. */
  readonly values: readonly string[];
}

/** Reads the words after the name of a command. */
export function readLine(command: Command, words: readonly string[]): TypedLine {
  const options = helpOptions(command.help);
  const given = new Map<string, string>();
  const positionals: string[] = [];
  const typed = words.at(-1) ?? '';
  let pending: HelpOption | undefined;
  for (const word of words.slice(0, -1)) {
    if (pending !== undefined) {
      given.set(pending.long, word);
      pending = undefined;
      continue;
    }
    const [flag = '', value] = word.split(/=(.*)/s);
    const option = options.find(({ long, short }) => flag === long || flag === short);
    if (option === undefined) {
      if (!word.startsWith('-')) positionals.push(word);
    } else if (option.takesValue && value === undefined) pending = option;
    else given.set(option.long, value ?? '');
  }
  const base = {
    choice: { kubeconfig: given.get('--kubeconfig'), context: given.get('--context') },
    namespace: given.get('--namespace'),
    positionals,
  };
  const [flag = '', value] = typed.split(/=(.*)/s);
  const inline = value === undefined ? undefined : options.find(({ long }) => long === flag);
  const valued = pending ?? inline;
  if (valued !== undefined) {
    const before = pending === undefined ? `${flag}=` : '';
    return { ...base, completes: 'value', option: valued.long, values: valued.values, before };
  }
  if (typed.startsWith('-')) {
    const flags = options.flatMap(({ long, short }) => (short === undefined ? [long] : [long, short]));
    return { ...base, completes: 'option', options: flags };
  }
  return { ...base, completes: 'argument', word: typed };
}

/** The options that the help of a command lists: `  -o, --output FORM   table  the columns of the server`. */
function helpOptions(help: string): HelpOption[] {
  const options: HelpOption[] = [];
  let column = -1;
  for (const line of help.split('\n')) {
    const [, short, long, form, gap = '', first] = /^ {2}(-\w)?,? +(--[\w-]+)( [A-Z]+)?( +)?(\S+)?/.exec(line) ?? [];
    if (long !== undefined) {
      const values = form !== undefined && isWord(first) && gap.length > 1 ? [first as string] : [];
      column =
        values.length > 0 ? line.indexOf(first as string, line.indexOf(long) + long.length + (form ?? '').length) : -1;
      options.push({ long, short, takesValue: form !== undefined, values });
      continue;
    }
    const last = options.at(-1);
    const word = column > 0 ? /^ *(\S+) {2,}\S/.exec(line)?.[1] : undefined;
    if (last !== undefined && word !== undefined && line.indexOf(word) === column && isWord(word)) {
      options[options.length - 1] = { ...last, values: [...last.values, word] };
    }
  }
  // One value is the first word of a sentence, not a list of values.
  return options.map((option) => (option.values.length > 1 ? option : { ...option, values: [] }));
}

function isWord(text: string | undefined): boolean {
  return text !== undefined && /^[a-z]+$/.test(text);
}
