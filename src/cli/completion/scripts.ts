/** The shells that completion is written for. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/**
 * The program that a shell loads. It asks `kubeflect __complete` with the words of the line up to the cursor, the last of them possibly
 * empty; each line of the answer is a candidate.
 */
export const scripts: Readonly<Record<Shell, string>> = {
  // A word ends at `=` and `:` for bash; candidates must begin where its word begins.
  bash: `# kubeflect completion for bash. Load it with: source <(kubeflect completion bash)
_kubeflect() {
  local line="\${COMP_LINE:0:COMP_POINT}" words candidate
  read -r -a words <<< "$line"
  [[ "$line" =~ [[:space:]]$ ]] && words+=("")
  COMPREPLY=()
  local last="\${words[\${#words[@]}-1]}"
  local cut="\${last%"\${COMP_WORDS[COMP_CWORD]}"}"
  while IFS= read -r candidate; do
    COMPREPLY+=("\${candidate#"$cut"}")
  done < <(kubeflect __complete "\${words[@]:1}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && ( "\${COMPREPLY[0]}" == */ || "\${COMPREPLY[0]}" == *= ) ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -o default -F _kubeflect kubeflect
`,
  zsh: `#compdef kubeflect
# kubeflect completion for zsh. Load it with: source <(kubeflect completion zsh)
_kubeflect() {
  local -a candidates open closed
  local candidate
  candidates=("\${(@f)$(kubeflect __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for candidate in $candidates; do
    case $candidate in
      */|*=) open+=("$candidate") ;;
      ?*) closed+=("$candidate") ;;
    esac
  done
  (( $#open )) && compadd -S '' -- $open
  (( $#closed )) && compadd -- $closed
  (( $#open + $#closed )) || _files
}
compdef _kubeflect kubeflect
`,
  fish: `# kubeflect completion for fish. Load it with: kubeflect completion fish | source
function __kubeflect_complete
    set -l words (commandline -opc) (commandline -ct)
    kubeflect __complete $words[2..-1] 2>/dev/null
end
complete -c kubeflect -f -a '(__kubeflect_complete)'
`,
};
