// docs/cli.md: every command, flag and example, from the same tables that parse them.
import { loadSource } from './load-source.mjs';

const now = (value) => (typeof value === 'function' ? value() : value);

const flagLine = async (flag) => {
  const name = `--${flag.name}${flag.value ? ` <${flag.value}>` : ''}`;
  const opposite = flag.negatable ? `, \`--${flag.opposite ?? `no-${flag.name}`}\`` : '';
  const choices = await now(flag.choices);
  const notes = [
    flag.required && 'required',
    flag.many && 'may be repeated',
    choices && `one of ${choices.join(', ')}`,
    flag.default !== undefined && `default ${flag.default}`,
  ].filter(Boolean);
  return `- \`${name}\`${opposite}: ${flag.summary}${notes.length ? ` (${notes.join('; ')})` : ''}`;
};

async function* section(command, path) {
  if (command.hidden) return;
  if (command.run) {
    const args = (command.args ?? []).map((a) =>
      a.optional ? `[${a.name}${a.variadic ? '...' : ''}]` : `<${a.name}${a.variadic ? '...' : ''}>`,
    );
    yield `### \`${[...path, ...args].join(' ')}\`\n`;
    const description = await now(command.description);
    yield `${description ?? `${command.summary[0].toUpperCase()}${command.summary.slice(1)}.`}\n`;
    const flags = (command.flags ?? []).filter((flag) => !flag.hidden);
    if (flags.length) yield `${(await Promise.all(flags.map(flagLine))).join('\n')}\n`;
    if (command.examples?.length) yield `\`\`\`sh\n${command.examples.join('\n')}\n\`\`\`\n`;
  } else if (path.length === 2) {
    yield `## \`${path.join(' ')}\`: ${command.summary}\n`;
  }
  for (const inner of command.subcommands ?? []) yield* section(inner, [...path, inner.name]);
}

export async function cliReference() {
  const { ROOT } = await loadSource('src/cli/families.ts');
  const { EXIT_MEANINGS } = await loadSource('src/cli/exit-codes.ts');
  const sections = [];
  for await (const part of section(ROOT, ['rouse'])) sections.push(part);
  return [
    '# Command reference\n',
    'Generated from the command tables by `node scripts/generate.mjs`. `rouse` and `houmao-mgr` are the same program.',
    'Every command takes `--print-plain` (default), `--print-json` or `--print-fancy`, before or after its name, and',
    '`--help`; `HOUMAO_CLI_PRINT_STYLE` sets the default.\n',
    '| Exit code | Meaning |',
    '|---|---|',
    ...EXIT_MEANINGS.map(([code, meaning]) => `| ${code} | ${meaning} |`),
    '',
    ...sections,
  ].join('\n');
}
