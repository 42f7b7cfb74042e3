/** One word of a POSIX shell command, whatever it contains. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function shellWords(words: readonly string[]): string {
  return words.map(shellQuote).join(' ');
}
