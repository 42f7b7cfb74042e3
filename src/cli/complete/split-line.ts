/**
 * The words of a line that is still being typed, split as a shell does: at white space, but not inside quotes or after a
 * backslash. The last one is the word at the cursor; it is empty after a blank. Nothing is expanded.
 */
export function splitLine(line: string): string[] {
  const words: string[] = [''];
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const char = line[i]!;
    if (quote === '' && /\s/.test(char)) {
      if (words.at(-1) !== '' || isQuotedEmpty(line, i)) words.push('');
    } else if (char === '\\' && quote !== "'") words[words.length - 1] += line[++i] ?? '';
    else if (quote !== '' ? char === quote : char === '"' || char === "'") quote = quote === '' ? char : '';
    else words[words.length - 1] += char;
  }
  return words;
}

function isQuotedEmpty(line: string, at: number): boolean {
  return /(^|\s)(''|"")$/.test(line.slice(0, at));
}
