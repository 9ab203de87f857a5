import { parseArguments } from '../arguments.js';
import { type Command, EXIT, UsageError } from '../command.js';
import { scripts, shells } from './scripts.js';

/** `kubeflect completion`: the program that makes a shell complete command lines of `kubeflect`. */
export const completion: Command = {
  name: 'completion',
  summary: 'Print the completion of commands, options, resources and names for a shell.',
  help: `Usage: kubeflect completion bash|zsh|fish

Prints a program that the shell loads. It completes commands, options and their values, and asks the cluster for resources,
namespaces and the names of objects; a cluster that does not answer within three seconds is left out.

  source <(kubeflect completion bash)     in ~/.bashrc
  source <(kubeflect completion zsh)      in ~/.zshrc, after compinit
  kubeflect completion fish | source      in ~/.config/fish/config.fish

Exit codes: 0 success, 2 wrong arguments.
`,
  async run(args, { stdout }) {
    const { positionals } = parseArguments({ args: [...args], allowPositionals: true, options: {} });
    const [word, ...more] = positionals;
    const shell = shells.find((one) => one === word);
    if (shell === undefined || more.length > 0) {
      throw new UsageError(`one of ${shells.join(', ')} is needed, got '${positionals.join(' ')}'`);
    }
    stdout.write(scripts[shell]);
    return EXIT.success;
  },
};
