import type { Command } from './command.ts';

/** What stands below the options in `--help`: examples, and how every command can print. */
export function describe(command: Command, path: string[]): string {
  const parts: string[] = [];
  if (command.examples?.length) {
    parts.push(`\nExamples:\n${command.examples.map((line) => `  $ ${line}`).join('\n')}`);
  }
  if (command.shortFor) parts.push(`\nShort for "rouse ${command.shortFor}".`);
  if (path.length === 1) {
    parts.push(
      '\nPrinting: --print-plain (default), --print-json or --json, --print-fancy, anywhere on the line;',
    );
    parts.push('or HOUMAO_CLI_PRINT_STYLE=plain|json|fancy. Exit codes: see `rouse help exit-codes`.');
  }
  return parts.join('\n');
}
