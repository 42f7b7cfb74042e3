import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import type { Stage } from './stage.ts';

const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite') as {
  DatabaseSync: new (
    file: string,
    options: { readOnly: boolean },
  ) => { prepare(sql: string): { all(): unknown[] }; close(): void };
};

/** Everything an attack could have changed, by name. */
export type Snapshot = ReadonlyMap<string, string>;

/** Fields that change by themselves: heartbeats and their reports, sweeps, and the last use of a token. */
const RESTLESS =
  /^(beat|active_tasks|current_task|accepting|last_heartbeat_at|uptime_seconds|last_used_at|last_inbox_nudge_at|instance_id|lease_.*)$/;
const QUEUE_TABLES = ['gateway_requests', 'gateway_reminders', 'gateway_live_reminders'];
const MAIL_TABLES = ['mailbox_registrations', 'messages', 'message_bodies', 'mail_state'];

export async function snapshot(stage: Stage): Promise<Snapshot> {
  const { settings } = stage.world.context;
  const seen = new Map<string, string>();
  rowsOf(seen, path.join(stage.agent.root, 'queue.sqlite'), QUEUE_TABLES);
  rowsOf(seen, path.join(settings.mailboxDir, 'index.sqlite'), MAIL_TABLES);
  const { enabled, interval_seconds, mode } = await stage.agent.client.notifier();
  seen.set('notifier', JSON.stringify({ enabled, interval_seconds, mode }));
  const lines = fs.readFileSync(stage.agent.transcript, 'utf8').trim().split('\n');
  for (const [n, line] of lines.entries()) seen.set(`terminal: line ${n}`, line);
  const tmux = [
    '-S',
    settings.tmuxSocket!,
    'list-panes',
    '-a',
    '-F',
    '#{session_name} #{window_id} #{pane_pid}',
  ];
  seen.set('tmux', execFileSync('tmux', tmux, { encoding: 'utf8' }));
  for (const directory of [settings.registryDir, settings.mailboxDir])
    for (const file of fs.readdirSync(directory, { recursive: true, encoding: 'utf8' }))
      if (!/-(wal|shm)$|\.lock$/.test(file)) seen.set(`file ${path.basename(directory)}/${file}`, '');
  const manifest = path.join(stage.agent.facts.root, 'manifest.json');
  seen.set('manifest', fs.readFileSync(manifest, 'utf8'));
  await tablesOf(seen, stage);
  return seen;
}

function rowsOf(seen: Map<string, string>, file: string, tables: readonly string[]): void {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    for (const table of tables)
      for (const [n, row] of db.prepare(`SELECT * FROM ${table}`).all().entries())
        seen.set(
          `${table} ${n}`,
          JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
        );
  } finally {
    db.close();
  }
}

async function tablesOf(seen: Map<string, string>, { sql }: Stage): Promise<void> {
  const { rows: tables } = await sql.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_name NOT IN ('sweepers') ORDER BY 1`,
  );
  for (const { name } of tables) {
    const { rows } = await sql.query<{ row: string }>(
      `SELECT to_jsonb(t)::text AS row FROM ${name} t ORDER BY 1`,
    );
    const lines = rows.map(({ row }) => {
      const fields = Object.entries(JSON.parse(row) as object).filter(([key]) => !RESTLESS.test(key));
      return JSON.stringify(Object.fromEntries(fields));
    });
    for (const [n, row] of lines.sort().entries()) seen.set(`fleet ${name} ${n}`, row);
  }
}

/** The differences, each with its old and new value. */
export function changes(before: Snapshot, after: Snapshot): string[] {
  const short = (value: string | undefined): string => (value === undefined ? 'absent' : value.slice(0, 800));
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => before.get(key) !== after.get(key))
    .map((key) => `${key}: ${short(before.get(key))} -> ${short(after.get(key))}`);
}
