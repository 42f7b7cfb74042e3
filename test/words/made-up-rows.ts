import * as fs from 'node:fs';
import * as path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** Lines inserted into a file before a line that occurs in it once. */
export interface Patch {
  file: string;
  before: string;
  lines: string;
}

const WORDS = 'src/domain/words';
const SETTINGS = 'src/domain/settings';

/** One made-up row for each kind of table. Nothing else in the sources is changed. */
export const MADE_UP_ROWS: readonly Patch[] = [
  {
    file: `${WORDS}/notifier-outcomes.ts`,
    before: '} as const satisfies Record<string, OutcomeRow>;',
    lines: `  snoozed: { ...no, waits: true, why: ({ detail }) => \`it snoozes: \${detail}\`, next: () => 'checked again when it wakes up' },`,
  },
  {
    file: `${WORDS}/ticket-statuses.ts`,
    before: '} as const satisfies Record<string, StatusRow>;',
    lines: `  on_hold: { ...open, nudged: false, words: 'on hold' },`,
  },
  {
    file: `${WORDS}/page-rights.ts`,
    before: '} as const satisfies Record<string, { words: string }>;',
    lines: `  listen: { words: 'listen' },`,
  },
  {
    file: `${WORDS}/page-rights.ts`,
    before: '} as const satisfies Record<string, RoleRow>;',
    lines: `  listener: { rights: ['view', 'listen'], words: 'may listen' },`,
  },
  {
    file: `${SETTINGS}/wake-settings.ts`,
    before: '} as const satisfies Record<string, WakeSetting>;',
    lines: `  grace_seconds: {
    kind: { type: 'whole', from: 0, to: 3600 },
    omitted: 'stays',
    fallback: 5,
    flag: { value: 'N', summary: 'made up' },
    config: 'Made up.',
    body: 'Made up.',
    words: (seconds: number) => \`grace \${seconds} s\`,
  },`,
  },
  {
    file: `${SETTINGS}/reminder-fields.ts`,
    before: '} as const satisfies Record<string, ReminderField>;',
    lines: `  colour: {
    kind: { type: 'code', codes: ['red', 'blue'] },
    flag: { value: 'COLOUR', summary: 'made up' },
    body: 'Made up.',
    shown: true,
    words: (colour: string) => \`in \${colour}\`,
  },`,
  },
];

/** Stored sets need a migration, as in any release. */
export const MADE_UP_MIGRATIONS: readonly Patch[] = [
  {
    file: 'src/gateway/queue-file.ts',
    before: '];',
    lines: `  {
    id: 'made-up',
    sql: \`
      ALTER TABLE gateway_mail_notifier ADD COLUMN grace_seconds INTEGER;
      CREATE TABLE audit_made_up AS SELECT * FROM gateway_notifier_audit;
      DROP TABLE gateway_notifier_audit;
      CREATE TABLE gateway_notifier_audit (
        audit_id INTEGER PRIMARY KEY AUTOINCREMENT, poll_time_utc TEXT NOT NULL, unread_count INTEGER, unread_digest TEXT,
        unread_summary_json TEXT NOT NULL DEFAULT '[]', request_admission TEXT, active_execution TEXT, queue_depth INTEGER,
        outcome TEXT NOT NULL CHECK (outcome IN ('empty','dedup_skip','busy_skip','enqueued','poll_error','snoozed')),
        enqueued_request_id TEXT, detail TEXT, facts_json TEXT, chain_json TEXT NOT NULL DEFAULT '[]');
      INSERT INTO gateway_notifier_audit SELECT * FROM audit_made_up;
      DROP TABLE audit_made_up;
    \`,
  },`,
  },
  {
    file: 'src/fleet/schema/index.ts',
    before: '];',
    lines: `  {
    id: '20991231000000_made_up',
    sql: \`ALTER TABLE requests DROP CONSTRAINT requests_status_check;
      ALTER TABLE requests ADD CHECK (status IN ('pending', 'info_requested', 'done', 'rejected', 'approved', 'cancelled', 'on_hold'));\`,
  },`,
  },
];

/** The text of a source file with its patches; undefined if it has none. */
export function patched(file: string, patches: readonly Patch[]): string | undefined {
  const own = patches.filter((patch) => path.join(root, patch.file) === file);
  if (own.length === 0) return undefined;
  return own.reduce(
    (text, { before, lines }) => {
      const parts = text.split(`\n${before}`);
      if (parts.length !== 2) throw new Error(`${file} has the line "${before}" ${parts.length - 1} times`);
      return parts.join(`\n${lines}\n${before}`);
    },
    fs.readFileSync(file, 'utf8'),
  );
}
