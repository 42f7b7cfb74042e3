/**
 * What a shell is taught: to ask `rouse complete` for each Tab. Sourcing a script again changes nothing; none needs a package
 * beside the shell. A line of the answer is a word, a tab and what it means; `:files` alone asks for names of files.
 *
 * Only the program that PATH finds at an absolute place is asked, whatever is being completed: a Tab behind `./rouse` must
 * not run a file of the current directory.
 */
export const SCRIPTS: Record<string, string> = { bash: bash(), zsh: zsh(), fish: fish() };

export const SHELLS = Object.keys(SCRIPTS);

/**
 * Bash cuts words also at ":" and "=", so it hands over the line as it stands, and of each answer only what follows the last
 * cut is wanted.
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
