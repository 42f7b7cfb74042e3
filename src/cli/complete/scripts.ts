/**
 * Completion scripts: each Tab calls `rouse complete`. Sourcing a script twice is harmless, and none needs another package.
 * A line of its output is a word, a tab and its meaning; `:files` alone asks the shell for file names.
 *
 * Only a program that PATH finds at an absolute path is run, whatever is being completed: Tab after `./rouse` must not run
 * a file of the current directory.
 */
export const SCRIPTS: Record<string, string> = { bash: bash(), zsh: zsh(), fish: fish() };

export const SHELLS = Object.keys(SCRIPTS);

/**
 * Bash also splits words at ":" and "=". So the script passes the whole line, and keeps only what follows the last split of
 * each candidate.
 */
function bash(): string {
  return `# bash completion for rouse; needs no other package.
_rouse_complete() {
  local line=\${COMP_LINE:0:COMP_POINT} cur=\${COMP_WORDS[COMP_CWORD]} whole before word files= program
  case \${COMP_WORDS[0]} in houmao-mgr|*/houmao-mgr) program=houmao-mgr ;; *) program=rouse ;; esac
  program=$(type -P "$program")
  COMPREPLY=()
  [[ $program == /* ]] || return 0
  case $cur in ['=:']) cur= ;; esac
  whole=\${line##*[[:space:]]}
  before=\${whole%"$cur"}
  while IFS=$'\\t' read -r word _; do
    if [[ $word == :files ]]; then files=1
    elif [[ -n $word ]]; then COMPREPLY+=("\${word#"$before"}")
    fi
  done < <("$program" complete --line "$line" 2>/dev/null)
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
  elif [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _rouse_complete rouse houmao-mgr
`;
}

function zsh(): string {
  return `#compdef rouse houmao-mgr
# zsh completion for rouse: source it after compinit, or save it as _rouse in a directory of $fpath.
_rouse() {
  local -a items
  local line files= program=rouse
  [[ \${words[1]:t} == houmao-mgr ]] && program=houmao-mgr
  program=$(whence -p $program)
  [[ $program == /* ]] || return 0
  for line in "\${(@f)$("$program" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then files=1
    elif [[ -n $line ]]; then items+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  if [[ -n $files ]]; then _files
  elif (( \${#items} )); then _describe -V rouse items
  fi
}
if [[ $funcstack[1] == _rouse ]]; then _rouse "$@"
elif (( $+functions[compdef] )); then compdef _rouse rouse houmao-mgr
fi
`;
}

function fish(): string {
  return `# fish completion for rouse.
function __rouse_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l program (command -s rouse)
    string match -qr '(^|/)houmao-mgr$' -- $words[1]; and set program (command -s houmao-mgr)
    string match -q '/*' -- "$program"; or return
    set -l answer ($program complete -- $words[2..-1] "$last" 2>/dev/null)
    if contains -- :files $answer
        __fish_complete_path "$last"
    else
        printf '%s\\n' $answer
    end
end
for name in rouse houmao-mgr
    complete -c $name -e
    complete -c $name -f -k -a '(__rouse_complete)'
end
`;
}
