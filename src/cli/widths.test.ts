import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { textColumns } from '../base/index.ts';
import type { RosterAgent } from '../session/index.ts';
import { type Command, type Input, loadedTree } from './command.ts';
import { ROOT } from './families.ts';
import { requestTable } from './gateway/request-print.ts';
import { mailTable } from './inbox/print-mail.ts';
import { rosterText } from './ls/roster-table.ts';
import { changedText, messageTable } from './mail/print.ts';
import { setOutputTerminal } from './print/output-terminal.ts';
import { keyValues, table } from './print/table.ts';
import { runCli } from './run.ts';
import { teamOutput } from './team/members.ts';

/** What people see on narrow, usual and wide terminals. GOLDEN_UPDATE=yes writes the files again. */
const WIDTHS = [60, 80, 120];
const GOLDEN = path.resolve(import.meta.dirname, '../../test/golden/widths');
const UNLIMITED = 10_000;

const setOutputColumns = (columns: number | undefined): void =>
  setOutputTerminal({ columns, colours: false });
afterEach(() => setOutputColumns(undefined));

function* every(command: Command, words: string[] = []): Generator<string[]> {
  if (command.hidden) return;
  yield words;
  for (const inner of command.subcommands ?? []) yield* every(inner, [...words, inner.name]);
}
const LINES = [...every(await loadedTree(ROOT))];
/** In the golden files: with the tables, more than 200 texts. */
const SHOWN = LINES.filter(
  ({ length, 0: family }) => length <= 1 || (length === 2 && ['agents', 'mail'].includes(family!)),
);

async function help(
  words: string[],
  columns: number,
  env: NodeJS.ProcessEnv = { NO_COLOR: '1' },
): Promise<string> {
  let out = '';
  const code = await runCli({
    argv: [...words, '--help'],
    env: { HOME: '/nowhere', PATH: process.env['PATH'], ...env },
    stdout: { write: (text) => void (out += text), isTTY: true, size: () => ({ columns, rows: 40 }) },
    stderr: { write: (text) => void (out += text), isTTY: true },
    stdin: async () => '',
    stdinIsTty: true,
    signal: new AbortController().signal,
  });
  expect(code).toBe(0);
  return out;
}

const AT = '2026-04-16T09:14:02Z';
const NOW = { env: { NO_COLOR: '1' }, outIsTty: true, style: 'plain', utc: true } as unknown as Input;
const on = (columns: number): Input => ({ ...NOW, outSize: () => ({ columns, rows: 40 }) });

const agent = (more: Partial<RosterAgent>): RosterAgent => ({
  ...{ name: 'ana', id: 'a', tool: 'claude', host: 'h', state: 'idle', since: AT, reason: 'idle' },
  ...{ needs_you: null, needs: [], open_mail: 0, wakes: { on: true, count: 12, last_at_utc: AT } },
  ...{ waiting_for: null, queue_depth: 0, gateway: 'live', origin: 'launched', paused: null },
  ...{ short_name: 'ana', called: 'ana', project: null, directory: null, branch: null },
  ...more,
});
const AGENTS = [
  agent({}),
  agent({
    ...{ name: 'the-reviewer-of-the-parser', tool: 'codex', state: 'needs_you', open_mail: 128 },
    reason: 'wants to run: rm -rf build && npm run build && npm test -- --project walk',
    needs_you:
      'wants to run: rm -rf build && npm run build; "rouse answer the-reviewer-of-the-parser" shows it',
  }),
  agent({ name: 'ben', tool: 'gemini', state: 'working', waiting_for: "phase='active'", open_mail: 3 }),
  agent({ name: 'cleo', state: 'gone', reason: 'its tmux session is gone', wakes: null, open_mail: null }),
];
const ROSTER = {
  agents: AGENTS,
  mail_for_you: 3,
  malformed_records: [],
  troubles: [],
  processes: [],
  known: new Map(),
};

const message = (n: number, subject: string) => ({
  ...{ message_ref: `filesystem:msg-20260416T091402Z-0123456789abcdef0123456789abcde${n}`, thread_ref: null },
  ...{ in_reply_to_ref: null, created_at_utc: AT, subject, read: n > 1, answered: n > 2, archived: false },
  ...{ unread: n === 1, box: 'inbox', body_preview: '', sender: { address: 'ana@houmao.localhost' } },
  ...{ to: [], cc: [], reply_to: [], attachments: [] },
});
const MAIL = [
  message(1, 'the flaky test of the parser fails on every second run, and no one knows why'),
  message(2, 'release notes'),
  message(3, '解析器的测试 is in Chinese'),
];
const REQUESTS = [
  {
    ...{ schema_version: 1, request_id: 'gwreq-20260416-091402Z-0a1b2c3d', request_kind: 'submit_prompt' },
    ...{ state: 'accepted', outcome: null, accepted_at_utc: AT, started_at_utc: null, finished_at_utc: null },
    ...{ expires_at_utc: null, managed_agent_instance_epoch: 1, source: 'http', priority: 50, sequence: 1 },
    ...{ waiting_reason: 'the agent works on another turn', error_detail: null },
    payload: { prompt: 'Review the diff of branch parser-2, and write what you find into REVIEW.md' },
  },
];

/** Tables as commands print them, without an agent that runs. */
const TABLES: Record<string, (columns: number) => string> = {
  'rouse ls': (columns) => rosterText(ROSTER, on(columns)),
  'rouse ls --print-fancy': (columns) => rosterText(ROSTER, { ...on(columns), style: 'fancy' }),
  'rouse inbox': (columns) =>
    mailTable(
      MAIL.map((each, n) => ({ number: n + 1, mailbox: 'x@y', message: each })),
      'x@y',
      on(columns),
    ),
  'rouse mail list': () => messageTable(MAIL, NOW),
  'rouse mail archive': () => changedText({ messages: MAIL } as never),
  'rouse agents gateway requests list': () => requestTable({ requests: REQUESTS, queue_depth: 1 } as never),
  'rouse up': () =>
    teamOutput('/home/ana/project/.rouse.toml', [
      { name: 'dan', action: 'started', detail: 'claude in HOUMAO-dan-1794955435545' },
      {
        name: 'eve',
        action: 'failed',
        detail: 'there is already an agent "eve" that works in /home/ana/other',
      },
    ]).plain!,
  'a table of prose': () =>
    table(
      [{ code: 4, meaning: 'conflict: it already exists with other content, is in use, or is ambiguous' }],
      [
        { title: 'code', value: ({ code }) => code, right: true },
        { title: 'meaning', value: ({ meaning }) => meaning },
      ],
    ),
  'a list of facts': () =>
    keyValues({
      agent: 'ana',
      held_back: 'the agent asks for permission: wants to run rm -rf build, so nothing is typed into it now',
      last_error: null,
    }),
};

function shown(name: string, columns: number): string {
  setOutputColumns(columns);
  return TABLES[name]!(columns);
}

const words = (text: string): string[] => text.split(/[\s\\]+/).filter(Boolean);
const tooWide = (text: string, columns: number): string[] =>
  text
    .split('\n')
    .filter((line) => textColumns(line) > columns && words(line.replace(/"[^"]*"/g, 'one')).length > 1);

describe.each(WIDTHS)('on a terminal of %i columns', (columns) => {
  it('no line of any help is wider than the terminal, and no word is broken', async () => {
    expect(LINES.length).toBeGreaterThan(120);
    for (const line of LINES) {
      const text = await help(line, columns);
      expect(tooWide(text, columns), line.join(' ')).toEqual([]);
      const whole = new Set(words(await help(line, UNLIMITED)));
      expect(
        words(text).filter((word) => !whole.has(word)),
        line.join(' '),
      ).toEqual([]);
    }
  });

  it.each(Object.keys(TABLES))('no line of the table of %s is wider than the terminal', (name) => {
    const text = shown(name, columns);
    expect(tooWide(text, columns)).toEqual([]);
    const whole = words(shown(name, UNLIMITED)).join(' ').toLowerCase();
    // Cut words end with an ellipsis, and are whole words before it, where there is more than one.
    const broken = words(text).filter(
      (word) => !word.includes('…') && !whole.includes(word.toLowerCase()) && !/:$/.test(word),
    );
    expect(broken).toEqual([]);
  });

  it('help and tables look as they did', async () => {
    expect(WIDTHS.length * (SHOWN.length + Object.keys(TABLES).length)).toBeGreaterThan(200);
    const parts: string[] = [];
    for (const line of SHOWN)
      parts.push(`$ rouse ${[...line, '--help'].join(' ')}\n${await help(line, columns)}`);
    for (const name of Object.keys(TABLES)) parts.push(`$ ${name}\n${shown(name, columns)}\n`);
    const text = parts.join('\n').replace(/[ \t]+$/gm, '');
    const file = path.join(GOLDEN, `${columns}.txt`);
    if (process.env['GOLDEN_UPDATE']) {
      fs.mkdirSync(GOLDEN, { recursive: true });
      fs.writeFileSync(file, text);
    }
    expect(text).toBe(fs.readFileSync(file, 'utf8'));
  });
});

it('help has colours on a terminal, and none with NO_COLOR or on a dumb terminal', async () => {
  expect(await help(['stop'], 80, {})).toContain('\u001b[1mOptions:\u001b[22m');
  expect(await help(['stop'], 80, { NO_COLOR: '1' })).not.toContain('\u001b');
  expect(await help(['stop'], 80, { TERM: 'dumb' })).not.toContain('\u001b');
});
