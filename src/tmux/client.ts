import { sessionTarget } from './names.ts';
import { count, flag, type RecordOf, readRecords, recordFormat, text, time, words } from './record.ts';
import type { Runner } from './runner.ts';

const CLIENT = {
  name: ['client_name', text],
  pid: ['client_pid', count],
  tty: ['client_tty', text],
  sessionId: ['session_id', text],
  sessionName: ['session_name', text],
  /** The pane its keys go to. */
  paneId: ['pane_id', text],
  created: ['client_created', time],
  /** When the last key of this client arrived; whole seconds. */
  activity: ['client_activity', time],
  control: ['client_control_mode', flag],
  readOnly: ['client_readonly', flag],
  flags: ['client_flags', words],
  width: ['client_width', count],
  height: ['client_height', count],
} as const;

export type Client = RecordOf<typeof CLIENT> & {
  /**
   * A person may be at it. A control client that ignores size is a program that watches, as ours are; one that does not
   * is a terminal with tmux integration, used by a person.
   */
  person: boolean;
};

/** The clients attached to a session, or to the whole server. */
export async function listClients(runner: Runner, session?: string): Promise<Client[]> {
  const target = session === undefined ? [] : ['-t', sessionTarget(session)];
  const output = await runner.run([['list-clients', ...target, '-F', recordFormat(CLIENT)]]);
  return readRecords(CLIENT, output).map((client) => ({
    ...client,
    person: !client.control || !client.flags.includes('ignore-size'),
  }));
}
