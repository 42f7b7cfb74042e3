import * as fs from 'node:fs';
import * as path from 'node:path';
import { Emitter, type Ending, FakeClock, stableJson } from '../../src/base/index.ts';
import { openSqlite } from '../../src/db/index.ts';
import { QUEUE_FILE_MIGRATIONS } from '../../src/gateway/queue-file.ts';
import { type TestGateway, testGateway } from '../../src/gateway/testing.ts';
import type { TuiHistory, TuiState } from '../../src/wire/index.ts';
import { send } from './route-fuzz.ts';

/** Routes that refuse even a good call, with the status: the request has already finished, and the agent is a TUI. */
export const REFUSED_BY_GATEWAY: Readonly<Record<string, number>> = {
  'requests.cancel': 409,
  'headless.state': 422,
  'headless.nextPromptSession': 422,
  'notifier.resume': 404,
};

const PICTURE = { columns: 80, rows: 1, lines: [[{ text: 'x' }]], cursor: null, hash: 'h', dialog: null };

export interface FuzzedGateway {
  on: TestGateway;
  reminder: string;
  request: string;
  letter: string;
  /** Everything that could have changed: the database's commit counter, the events, the terminal, the mail. */
  quiet(): Promise<string>;
}

const OBSERVED = {
  diagnostics: {
    availability: 'available',
    transport_state: 'tmux_up',
    process_state: 'tui_up',
    parse_status: 'parsed',
    probe_error: null,
    parse_error: null,
  },
  surface: { accepting_input: 'yes', editing_input: 'no', ready_posture: 'yes' },
  turn: { phase: 'ready' },
  last_turn: { result: 'none', source: 'none' },
  stability: { signature: '', stable: true, stable_for_seconds: 1, stable_since_utc: '2026-01-01T00:00:00Z' },
} satisfies Partial<TuiState>;
const NAMES = { session_name: 's', tool: 'scripted', tmux_session_name: 's', terminal_aliases: [] };
const SCREEN: TuiState = {
  terminal_id: 't',
  tracked_session: { tracked_session_id: 't', ...NAMES },
  ...OBSERVED,
  recent_transitions: [],
};
const HISTORY: TuiHistory = { terminal_id: 't', tracked_session_id: 't', entries: [] };

/** A gateway whose clock does not move, with a reminder, a request and a message. */
export async function openFuzzedGateway(ending: Ending): Promise<FuzzedGateway> {
  const on = await testGateway(ending, { config: { clock: new FakeClock() } });
  on.mail.transport = 'flatfile';
  Object.assign(on.surface, {
    tui: {
      state: () => SCREEN,
      history: () => HISTORY,
      notePrompt: () => SCREEN,
      screen: () => ({ ...PICTURE, observedAtUtc: '2026-01-01T00:00:00.000Z' }),
      seen: new Emitter<void>(),
    },
  });
  const watcher = openSqlite({
    file: path.join(on.root, 'gateway', 'queue.sqlite'),
    readOnly: true,
    migrations: QUEUE_FILE_MIGRATIONS,
  });
  ending.add(() => watcher.close());
  const state = (): string =>
    stableJson({
      commits: watcher.get('PRAGMA data_version'),
      events:
        fs.statSync(path.join(on.root, 'gateway', 'events.jsonl'), { throwIfNoEntry: false })?.size ?? 0,
      typed: [on.surface.submitted.length, on.surface.keys.length, on.surface.interrupts],
      mail: [...on.mail.versions],
    });
  const reminder = { mode: 'one_off', title: 't', prompt: 'p', ranking: 1, start_after_seconds: 60 };
  const reminders = await on.call('POST', '/v1/reminders', { reminders: [reminder] });
  const request = await on.call('POST', '/v1/requests', { kind: 'interrupt', payload: {} });
  const letter = await on.call('POST', '/v1/mail/post', { subject: 's', body_content: 'b' });
  return {
    on,
    reminder: reminders.body.reminders[0].reminder_id,
    request: request.body.request_id,
    letter: letter.body.message.message_ref,
    /** The effects of a good request must not be blamed on the next one. */
    async quiet() {
      let before = '';
      for (let same = 0; same < 2; ) {
        for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setImmediate(resolve));
        const { body } = await send(on.gateway.port, { method: 'GET', target: '/v1/status', headers: {} });
        const { queue_depth, active_execution } = body as { queue_depth: number; active_execution: string };
        const now = state();
        same = now === before && queue_depth === 0 && active_execution === 'idle' ? same + 1 : 0;
        before = now;
      }
      return before;
    },
  };
}
