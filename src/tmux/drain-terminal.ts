/**
 * Lines for the shell that runs a program in a pane. Input for a program that died before it could read it stays in the
 * terminal, and the following shell would run it as commands. The first line, before the program, saves the terminal's
 * modes; the others, after it, discard that input and restore the modes.
 */
export const KEEP_TERMINAL_MODES = 'rouse_modes=$([ -t 0 ] && command -p stty -g 2>/dev/null)';

export const DRAIN_TERMINAL = `if [ -t 0 ]; then
  command -p stty -icanon -echo min 0 time 2 2>/dev/null && command -p cat >/dev/null 2>&1
  command -p stty "\${rouse_modes:-sane}" 2>/dev/null
fi
unset rouse_modes`;
