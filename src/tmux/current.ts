import { requirePaneId } from './names.ts';
import { paneGone } from './pane.ts';
import { type RecordOf, readRecord, recordFormat, text } from './record.ts';
import { Tmux } from './tmux.ts';

const PLACE = {
  paneId: ['pane_id', text],
  windowId: ['window_id', text],
  sessionId: ['session_id', text],
  sessionName: ['session_name', text],
} as const;

export type CurrentPlace = RecordOf<typeof PLACE> & { tmux: Tmux };

/** Where a process runs whose environment names a tmux pane; undefined outside tmux. */
export async function currentSession(env: NodeJS.ProcessEnv): Promise<CurrentPlace | undefined> {
  const socketPath = /^(.+),\d+,\d+$/.exec(env['TMUX'] ?? '')?.[1];
  const pane = env['TMUX_PANE'];
  if (!socketPath || !pane) return undefined;
  const tmux = new Tmux({ socketPath, env });
  const line = await tmux.display(requirePaneId(pane), recordFormat(PLACE));
  if (!line.startsWith(`${pane}\t`)) throw paneGone(pane);
  return { ...readRecord(PLACE, line), tmux };
}
