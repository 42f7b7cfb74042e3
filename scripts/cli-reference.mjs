// docs/cli.md: every command, flag and example, from the tables that also parse them.
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

/** Lists of flags that many commands have, shown once. A longer list comes before one that is part of it. */
const SHARED = [
  {
    title: 'Which agent',
    source: ['src/cli/agents/target.ts', 'GATEWAY_TARGET_FLAGS'],
    words: 'which agent',
  },
  {
    title: 'Which agent',
    source: ['src/cli/agents/target.ts', 'AGENT_FLAGS'],
    words: 'which agent',
    rest: ', without `--pair-port`',
  },
  {
    title: 'Which mailbox',
    source: ['src/cli/mail/mailbox-door.ts', 'MAILBOX_FLAGS'],
    words: 'which mailbox',
  },
  {
    title: 'Which fleet server',
    source: ['src/cli/fleet/access.ts', 'FLEET_FLAGS'],
    words: 'which fleet server',
  },
  {
    title: 'How a gateway watches the screen',
    source: ['src/cli/agents/flags/attach.ts', 'TIMING_FLAGS'],
    words: 'how the gateway watches the screen',
  },
];

async function sharedLists() {
  const lists = [];
  for (const { source, ...words } of SHARED) {
    const flags = (await loadSource(source[0]))[source[1]];
    lists.push({ ...words, lines: await Promise.all(flags.map(flagLine)) });
  }
  return lists;
}

function sharedSections(lists) {
  const titles = [...new Set(lists.map(({ title }) => title))];
  return titles.map((title) => {
    const { lines } = lists.find((list) => list.title === title);
    return `### ${title}\n\n${lines.join('\n')}\n`;
  });
}

/** The command's own flags one by one, a shared list by its name. */
function folded(lines, lists) {
  let left = lines;
  for (const { title, words, rest = '', lines: shared } of lists) {
    if (!shared.every((line) => left.includes(line))) continue;
    const link = `- flags that say [${words}](#${title.toLowerCase().replaceAll(' ', '-')})${rest}`;
    left = left.flatMap((line) => (line === shared[0] ? [link] : shared.includes(line) ? [] : [line]));
  }
  return left;
}

async function* section(command, path, { lists, wordFlags }) {
  if (command.hidden) return;
  if (command.run) {
    const words = wordFlags(command).map(({ word }) => `[${word}]`);
    const own = (command.args ?? []).map((a) =>
      a.optional ? `[${a.name}${a.variadic ? '...' : ''}]` : `<${a.name}${a.variadic ? '...' : ''}>`,
    );
    const args = [...words, ...own];
    yield `${path.length === 2 ? '##' : '###'} \`${[...path, ...args].join(' ')}\`\n`;
    if (command.shortFor) {
      yield `Short for \`rouse ${command.shortFor}\`, with the same flags.\n`;
      yield `\`\`\`sh\n${command.examples.join('\n')}\n\`\`\`\n`;
      return;
    }
    const description = await now(command.description);
    yield `${description ?? `${command.summary[0].toUpperCase()}${command.summary.slice(1)}.`}\n`;
    const flags = (command.flags ?? []).filter((flag) => !flag.hidden);
    const lines = folded(await Promise.all(flags.map(flagLine)), lists);
    if (lines.length) yield `${lines.join('\n')}\n`;
    if (command.examples?.length) yield `\`\`\`sh\n${command.examples.join('\n')}\n\`\`\`\n`;
  } else if (path.length === 2) {
    yield `## \`${path.join(' ')}\`: ${command.summary}\n`;
  }
  for (const inner of command.subcommands ?? [])
    yield* section(inner, [...path, inner.name], { lists, wordFlags });
}

export async function cliReference() {
  const { loadedTree, ROOT } = await loadSource('src/cli/index.ts');
  const { EXIT_MEANINGS } = await loadSource('src/cli/help-topics.ts');
  const { wordFlags } = await loadSource('src/cli/word-flags.ts');
  const lists = await sharedLists();
  const sections = [];
  for await (const part of section(await loadedTree(ROOT), ['rouse'], { lists, wordFlags }))
    sections.push(part);
  return [
    '# Command reference\n',
    'Generated from the command tables by `node scripts/generate.mjs`. `rouse` and `houmao-mgr` are the same program.',
    'Every command takes `--print-plain` (default), `--print-json` (or `--json`) or `--print-fancy`, before or after its',
    'name, and `--help`; `HOUMAO_CLI_PRINT_STYLE` sets the default. What is in square brackets after a command may be',
    'given as a plain word instead of by its flag: `rouse stop ana` is `rouse agents stop --agent-name ana`.\n',
    '| Exit code | Meaning |',
    '|---|---|',
    ...EXIT_MEANINGS.map(([code, meaning]) => `| ${code} | ${meaning} |`),
    '',
    '## Flags that many commands share\n',
    ...sharedSections(lists),
    ...sections,
  ].join('\n');
}
