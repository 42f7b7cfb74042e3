import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { MADE_UP_ROWS, type Patch, patched } from './made-up-rows.ts';
import { type CompilerError, root, SourceCopy } from './source-copy.ts';
import { wordSets } from './word-tables.ts';

/** Every code of every table. */
const allCodes = async (): Promise<string[]> => [
  ...new Set((await wordSets()).flatMap(({ codes, isTable }) => (isTable ? codes : []))),
];

/** Words that only look like a code: the name of a folder, words of another program, or of a set that people may extend. */
const OTHER_WORDS = [
  'src/cli/config/config.ts', // a file that cannot be read
  'src/domain/day/day-digest.ts', // how turns and wakes ended, in words
  'src/session/all-mail/conversations.ts', // the box "sent"
  'src/session/day/day-mail.ts',
  'src/session/host-mail.ts',
  'src/session/receipts.ts',
  'src/gateway/queue/coalesce.ts', // what a prompt does to the context: /clear, /compact, an interrupt
  'src/main/one-gateway.ts', // the folder "gateway"
  'src/mail/flatfile/mailbox/flag-rules.ts', // statuses in a flat file, which people write
  'src/mail/flatfile/relay/relay.ts',
  'src/scripted/status-file.ts', // events of the scripted agent
  'src/terminal/lane/calibrate-tool.ts', // tmux refused to type
  'src/tmux/window.ts', // options of tmux
  'src/tools/claude/hooks.ts', // events of Claude Code
  'src/tools/claude/transcript-reset.ts', // statuses in Claude Code's transcript
  'src/tools/codex/kept-turns.ts', // states of a rollout
  'src/tools/opencode/http.ts', // states of opencode
];

/** Rows that leave something open; the tests below name each place that must decide about them. */
const OPEN_ROWS: readonly Patch[] = [
  {
    file: 'src/domain/words/delivery-outcomes.ts',
    before: '} as const satisfies Record<string, DeliveryRow>;',
    lines: `  made_up: { meaning: 'made up', ends: 'failed', later: false },`,
  },
  {
    file: 'src/domain/words/ticket-statuses.ts',
    before: '} as const satisfies Record<string, StatusRow>;',
    lines: `  parked: { words: 'parked', open: true },`,
  },
  {
    file: 'src/domain/words/wake-policies.ts',
    before:
      "} as const satisfies Record<string, { words: string; wakesFor: string; reads: 'any' | 'unread' }>;",
    lines: `  starred: { words: 'until it has no star', wakesFor: 'starred mail', reads: 'any' },`,
  },
];

/** Rows in tables whose codes other rooms decide about. */
const DECIDED_ELSEWHERE = [
  ['src/domain/words/reasons.ts', 'REASONS', "moon: gate('moon', 'the moon is out', 'draft')"],
  ['src/domain/words/standings.ts', 'AGENT_STATES', 'moonlit: { counted: null }'],
] as const;

/** All changes at once, because each run of the compiler takes seconds. Its errors are then those of all changes. */
describe('the compiler', () => {
  const copy = new SourceCopy();
  let errors: CompilerError[];
  afterAll(() => copy.close());

  beforeAll(async () => {
    const patches = [...MADE_UP_ROWS, ...OPEN_ROWS];
    for (const { file } of patches) copy.write(file, patched(path.join(root, file), patches)!);
    for (const [file, table, row] of DECIDED_ELSEWHERE) copy.addRow(file, table, row);
    errors = [...(await copy.compile()), ...(await copy.compile('tsconfig.page.json'))];
    // The compiler needs seconds on an idle machine, and minutes on a loaded one.
  }, 300_000);

  const missing = (code: string): string[] =>
    errors.filter(({ text }) => text.includes(`'${code}' is missing`)).map(({ file }) => file);
  const others = (): string[] =>
    [
      ...new Set(errors.filter(({ text }) => !/'moon(lit)?' is missing/.test(text)).map(({ file }) => file)),
    ].sort();

  it('the compiler asks for nothing more where a made-up row says everything', () => {
    const complete = /'(?:snoozed|on_hold|listen|listener|grace_seconds|colour)'/;
    expect(errors.filter(({ text }) => complete.test(text))).toEqual([]);
  });

  it('the compiler names every place that must decide about a made-up code, and a row that does not say everything, and no other', () => {
    expect(others()).toEqual([
      'src/domain/words/ticket-statuses.ts',
      'src/gateway/notifier/wake-prompt.ts',
      'src/hosting/server/turns/turn-rules.ts',
    ]);
  });

  it('a code that is added to its table alone is asked for by the compiler wherever something must be decided about it, and nowhere else', () => {
    expect(missing('moon')).toEqual(['src/screen/turn/readiness.ts']);
    expect(missing('moonlit')).toEqual([
      'src/cli/ls/roster-table.ts',
      'src/cli/ls/roster-table.ts',
      'src/fleet/page/agents/agent-facts.ts',
      'src/page/home/agents.tsx',
      'src/page/lanes/lane-paths.ts',
      'src/page/live/picture.ts',
      'src/page/parts/state-mark.tsx',
    ]);
  });

  it('the compiler asks for nothing where CAO and server-owned agents are deleted: each a room and one line', async () => {
    const bare = new SourceCopy();
    onTestFinished(() => bare.close());
    for (const [room, list] of [
      ['cao', 'src/terminal/owner-list.ts'],
      ['hosting', 'src/fleet/hosting-list.ts'],
    ] as const) {
      const lines = bare.read(list).split('\n');
      const kept = lines.filter((line) => !line.includes(`/${room}/`));
      expect(lines.length - kept.length).toBe(1);
      bare.remove(`src/${room}`);
      bare.write(list, kept.join('\n'));
    }
    expect(await bare.compile()).toEqual([]);
  });
});

describe('a code of a closed set that is misspelt where a value is compared with it', () => {
  const copy = new SourceCopy();
  afterAll(() => copy.close());

  it('a code of a closed set that is misspelt where a value is compared with it does not compile: no such value is typed as just any string', async () => {
    const codes = (await allCodes()).join('|');
    const compared = new RegExp(`(?:[!=]== |case )'(?:${codes})'`, 'g');
    const places: { file: string; line: number; text: string; count: number }[] = [];
    for (const file of copy.files()) {
      const lines = copy.read(file).split('\n');
      for (const [at, text] of lines.entries()) {
        const count = text.match(compared)?.length ?? 0;
        if (count === 0) continue;
        places.push({ file, line: at + 1, text: text.trim(), count });
        lines[at] = text.replaceAll(compared, (found) => found.replace("'", "'misspelt_"));
      }
      copy.write(file, lines.join('\n'));
    }
    expect(places.length).toBeGreaterThan(200);
    const found = [...(await copy.compile()), ...(await copy.compile('tsconfig.page.json'))];
    // TS2367: they have no overlap. TS2678: the case is of another type.
    const refused = found.filter(({ code }) => code === 'TS2367' || code === 'TS2678');
    const unseen = places.filter(
      ({ file, line, count }) =>
        refused.filter((error) => error.file === file && error.line === line).length < count,
    );
    const ours = unseen.filter(({ file }) => !OTHER_WORDS.includes(file));
    expect(ours.map(({ file, line, text }) => `${file}:${line}: ${text}`)).toEqual([]);
    expect([...new Set(unseen.map(({ file }) => file))].sort()).toEqual([...OTHER_WORDS].sort());
  });
});
