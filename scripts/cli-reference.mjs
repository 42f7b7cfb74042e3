// docs/cli.md: every command, flag and example, from the same tables that parse them.
import { loadSource } from './load-source.mjs';

const flagLine = (flag) => {
  const name = `--${flag.name}${flag.value ? ` <${flag.value}>` : ''}`;
  const opposite = flag.negatable ? `, \`--${flag.opposite ?? `no-${flag.name}`}\`` : '';
  const notes = [
    flag.required && 'required',
    flag.many && 'may be repeated',
    flag.choices && `one of ${flag.choices.join(', ')}`,
    flag.default !== undefined && `default ${flag.default}`,
  ].filter(Boolean);
  return `- \`${name}\`${opposite}: ${flag.summary}${notes.length ? ` (${notes.join('; ')})` : ''}`;
};

function* section(command, path) {
  if (command.hidden) return;
  if (command.run) {
    const args = (command.args ?? []).map((a) =>
      a.optional ? `[${a.name}${a.variadic ? '...' : ''}]` : `<${a.name}${a.variadic ? '...' : ''}>`,
    );
    yield `### \`${[...path, ...args].join(' ')}\`\n`;
    yield `${command.description ?? `${command.summary[0].toUpperCase()}${command.summary.slice(1)}.`}\n`;
    const flags = (command.flags ?? []).filter((flag) => !flag.hidden);
    if (flags.length) yield `${flags.map(flagLine).join('\n')}\n`;
    if (command.examples?.length) yield `\`\`\`sh\n${command.examples.join('\n')}\n\`\`\`\n`;
  } else if (path.length === 2) {
    yield `## \`${path.join(' ')}\`: ${command.summary}\n`;
  }
  for (const inner of command.subcommands ?? []) yield* section(inner, [...path, inner.name]);
}

export async function cliReference() {
  const { ROOT } = await loadSource('src/cli/index.ts');
  const { EXIT_MEANINGS } = await loadSource('src/cli/exit-codes.ts');
  return [
    '# Command reference\n',
    'Generated from the command tables by `node scripts/generate.mjs`. `rouse` and `houmao-mgr` are the same program.',
    'Every command takes `--print-plain` (default), `--print-json` or `--print-fancy`, before or after its name, and',
    '`--help`; `HOUMAO_CLI_PRINT_STYLE` sets the default.\n',
    '| Exit code | Meaning |',
    '|---|---|',
    ...EXIT_MEANINGS.map(([code, meaning]) => `| ${code} | ${meaning} |`),
    '',
    ...section(ROOT, ['rouse']),
  ].join('\n');
}
