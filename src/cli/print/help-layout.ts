import { Help, type Command as Parser } from 'commander';
import { wrapText } from './wrap-text.ts';

/** Names take at most this part of a line; a longer one has its description below. */
const MAX_NAMES = 0.45;
const USAGE = 'Usage: '.length;

const widthOf = ({ helpWidth }: Help): number => helpWidth ?? 80;

/** Help that fits terminals of 60 columns and more: nothing is wider than the terminal, and no word is broken. */
export const HELP_LAYOUT: Partial<Help> & ThisType<Help> = {
  minWidthToWrap: 1,

  // Commander leaves colours out where there are none.
  styleTitle: (title: string): string => `\u001b[1m${title}\u001b[22m`,

  padWidth(command: Parser, helper: Help): number {
    const wanted = Help.prototype.padWidth.call(this, command, helper);
    return Math.min(wanted, Math.floor(widthOf(this) * MAX_NAMES));
  },

  commandUsage(command: Parser): string {
    const usage = Help.prototype.commandUsage.call(this, command);
    return wrapText(usage, { width: widthOf(this) - USAGE, indent: '  ' }).join(`\n${' '.repeat(USAGE)}`);
  },

  formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const taken = helper.displayWidth(term);
    if (!description) return `  ${term}`;
    const indent = ' '.repeat(termWidth + 4);
    const text = helper.boxWrap(description, widthOf(this) - indent.length).replaceAll('\n', `\n${indent}`);
    if (taken > termWidth) {
      const names = wrapText(term, { width: widthOf(this) - 2, indent: '  ' }).map((line) => `  ${line}`);
      return [...names, `${indent}${text}`].join('\n');
    }
    return `  ${term}${' '.repeat(termWidth - taken)}  ${text}`;
  },
};

/** An example that fits: its comment above it if need be, the command continued with backslashes, so that it can be pasted. */
export function exampleLines(example: string, width: number): string[] {
  const whole = `  $ ${example}`;
  if (whole.length <= width) return [whole];
  const [, command = example, comment] = /^(.*?)\s+(#\s.*)$/.exec(example) ?? [];
  return [
    ...(comment === undefined
      ? []
      : wrapText(comment, { width: width - 2, indent: '# ' }).map((line) => `  ${line}`)),
    ...continued(command, width),
  ];
}

/** Breaks between arguments, never inside quotes. */
function continued(command: string, width: number): string[] {
  const words = command.match(/(?:[^\s'"]|'[^']*'|"(?:[^"\\]|\\.)*")+/g) ?? [command];
  const lines: string[] = [];
  let line = '  $';
  for (const [at, word] of words.entries()) {
    const room = at === words.length - 1 ? width : width - 2;
    if (line.length + 1 + word.length > room && line.trim() !== '$' && line.trim() !== '') {
      lines.push(`${line} \\`);
      line = '     ';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
