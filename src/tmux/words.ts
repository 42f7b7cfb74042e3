/**
 * The three spellings of one argument. In each of them, text from a person or a message becomes exactly one argument, and
 * never a second command, a variable, a format or a shell word.
 */

/** As an element of argv. For tmux, an unescaped final `;` of an element ends the command. */
export function argvWord(word: string): string {
  return word.endsWith(';') ? `${word.slice(0, -1)}\\;` : word;
}

/** As a word of tmux's command language: control mode lines, `source-file`, the branches of `if-shell`. */
export function quotedWord(word: string): string {
  return `"${word.replace(/["\\$~\u0000-\u001f\u007f]/g, octal)}"`;
}

function octal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}

/** One command in tmux's command language. */
export function commandLine(command: readonly string[]): string {
  return command.map(quotedWord).join(' ');
}

/** Commands that run one after the other; the first that fails ends the line. */
export function commandSequence(commands: readonly (readonly string[])[]): string {
  return commands.map(commandLine).join(' ; ');
}

/** Commands as one argv, with the same meaning as `commandSequence`. */
export function argvSequence(commands: readonly (readonly string[])[]): string[] {
  return commands.flatMap((command, index) => [...(index === 0 ? [] : [';']), ...command.map(argvWord)]);
}

/**
 * As literal text where tmux expands formats (`-c`, `-n`, names): an unescaped `#(…)` in a directory name would run a shell
 * command. tmux does not change a run of `#` before `[` and halves every other run.
 */
export function formatLiteral(text: string): string {
  return text.replace(/#+(?!#)/g, (run, at: number) => (text[at + run.length] === '[' ? run : run + run));
}
