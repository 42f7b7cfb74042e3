// docs/agents.md: its tables are generated from src/tools; the prose between them is written by hand.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CLIS } from './agent-clis.mjs';
import { loadSource } from './load-source.mjs';
import { root } from './setup.mjs';

const table = (titles, rows) =>
  [titles, titles.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
    .replaceAll('| --- ', '|---')
    .replaceAll('|--- |', '|---|');

const code = (text) => `\`${text}\``;

function role({ role }) {
  if (role.method === 'none') return 'none';
  if (role.method === 'first_message_flag') return 'first message';
  return code(role.words.join(' ').replace(/ ?\{(text|toml)\}/, (_, kind) => (kind === 'toml' ? '…' : '')));
}

const seen = ({ detectors }) =>
  detectors
    .flatMap(({ versions }) => versions.seen)
    .sort(new Intl.Collator('en', { numeric: true }).compare)
    .join(', ');

const CHANGES = {
  tabs_to_4_spaces: 'tabs become four spaces',
  trailing_space: 'a space after a paste folded into a label',
  trims_ends: 'trims the ends',
};

/** A prompt of each kind that some tool would not take as written. */
const REFUSED = [
  ['begins with `!`', '!ls', 'it would run as a shell command, without approval'],
  ['ends with `\\`', 'do it \\', 'Enter becomes a new line'],
  ['ends with `@name`', 'look at @name', 'Enter picks a completion and changes the text'],
  ['`/word …`', '/word more', 'a command the tool does not know is dropped or stays in the composer'],
];

function refusals(tools) {
  const rows = REFUSED.map(([label, prompt, because]) => {
    const refuses = ({ detectors }) =>
      detectors[0].input.refuses.some(({ when, typedOnly }) => !typedOnly && when.test(prompt));
    return [label, names(tools.filter(refuses)), because];
  });
  for (const { name, detectors } of tools) {
    const { maxLineBytes, maxPasteBytes } = detectors[0].input;
    if (!maxLineBytes && !maxPasteBytes) continue;
    const limits = [
      maxLineBytes && `a line of more than ${maxLineBytes / 1024} KiB`,
      maxPasteBytes && `more than ${maxPasteBytes / 1000} kB`,
    ];
    rows.push([limits.filter(Boolean).join(', '), name, 'it does not arrive']);
  }
  return table(['Prompt', 'Refused for', 'Because'], rows);
}

const names = (tools) => tools.map(({ name }) => name).join(', ');

function inputRow({ name, detectors: [{ input }] }) {
  return [
    name,
    input.whileBusy === 'steers' ? 'would steer' : 'would queue',
    input.interruptKeys.join(', '),
    input.restoresPrompt ? 'yes; it is erased' : 'no',
    code(input.resetCommand),
    input.changes.map((change) => CHANGES[change]).join(', ') || '–',
  ];
}

const TABLES = {
  launch: (tools) =>
    table(
      ['Tool', 'Added', 'Its directory (`--home`)', 'Role (`--role-prompt`)', 'Asks to trust the directory'],
      [
        ...tools.map((tool) => [
          tool.name,
          [`its mail as tools: ${tool.notes.mcp}`, tool.notes.added].filter(Boolean).join('; '),
          tool.homeVariable ? code(tool.homeVariable) : '–',
          role(tool),
          tool.notes.asksTrust ?? '–',
        ]),
        ['any command', 'nothing', '–', 'none', '–'],
      ],
    ),
  evidence: (tools) =>
    table(
      ['Tool', 'Beside the screen', 'Proves that a prompt was taken', 'Proves how a turn ended'],
      tools.map(({ name, notes }) => [name, notes.beside, notes.taken, notes.ended]),
    ),
  refusals,
  input: (tools) =>
    table(
      ['Tool', 'Input during a turn', 'Interrupt', 'Puts the prompt back', 'New chat', 'Changes a paste'],
      tools.map(inputRow),
    ),
  doors: (tools) =>
    table(
      ['Tool', 'MCP', 'Permission', 'Skills', 'Hooks', 'Sandbox', 'Tried'],
      tools.map(({ name, notes, skills, additions }) => [
        name,
        notes.mcp,
        notes.allowsTools,
        skills ? code(`~/${skills.byDefault}`) : '–',
        additions ? 'of this session' : '–',
        notes.sandbox,
        CLIS[name]?.version ?? '–',
      ]),
    ),
  absence: (tools) =>
    table(
      ['Tool', 'The model sees', 'Away when the tool starts', 'Away for a while'],
      tools.map(({ name, mcp }) => [
        name,
        code(mcp.modelName('rouse', 'mail_list')),
        mcp.absence.atStart,
        mcp.absence.whileRunning,
      ]),
    ),
  mail: (tools) =>
    table(
      ['Tool', 'Allow it with'],
      tools.map(({ name, notes }) => [name, notes.allowsMail]),
    ),
  versions: (tools) =>
    table(
      ['Tool', 'Versions whose screens were captured'],
      tools.map((tool) => [tool.name, seen(tool)]),
    ),
};

const PLACE = /(<!-- tools: (\w+) -->\n)[\s\S]*?(<!-- \/tools -->)/g;

export async function agentsPage() {
  const { TOOLS } = await loadSource('src/tools/index.ts');
  const described = TOOLS.filter(({ notes }) => notes);
  const page = readFileSync(path.join(root, 'docs/agents.md'), 'utf8');
  const places = [...page.matchAll(PLACE)].map(([, , name]) => name);
  const missing = Object.keys(TABLES).filter((name) => !places.includes(name));
  if (missing.length) throw new Error(`docs/agents.md has no place for: ${missing.join(', ')}`);
  return page.replace(PLACE, (_, before, name, after) => `${before}${TABLES[name](described)}\n${after}`);
}
