import {
  type Clock,
  childrenOf,
  identifyProcess,
  isProcessAlive,
  type ProcessIdentity,
  signalProcess,
} from '../../base/index.ts';
import { waitForEnd } from '../gateway/process-end.ts';
import type { SessionTmux } from '../session-tmux.ts';

/** How long a tool may take to put its affairs in order after its terminal is gone. */
const PATIENCE_MS = 3000;

/**
 * Closes exactly this tmux session and makes sure that what ran in its panes ends: some tools outlive their
 * terminal. The processes are noted with their start times before anything is closed, so nobody else is hit; a window
 * that also hangs in another session lives on there, with what runs in it.
 */
export async function endSession(tmux: SessionTmux, session: string, clock: Clock): Promise<boolean> {
  const panes = await tmux.panes(session);
  const noted = panes.map((pane) => ({ id: pane.paneId, processes: descendants(pane.pid) }));
  const existed = panes.length > 0 || (await tmux.hasSession(session));
  await tmux.killSession(session);
  const alive = await tmux.paneIds();
  const closed = noted.filter(({ id }) => !alive.has(id));
  await endAll(
    closed.flatMap(({ processes }) => processes),
    clock,
  );
  return existed;
}

/** A process and everything below it, deepest last. */
export function descendants(pid: number): ProcessIdentity[] {
  const own = identifyProcess(pid);
  return own ? [own, ...childrenOf(pid).flatMap(descendants)] : [];
}

/** Hang-up has been sent by the terminal; then a request, then force. */
export async function endAll(processes: ProcessIdentity[], clock: Clock): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await Promise.all(
      processes.map((each) => waitForEnd(each, signal === 'SIGTERM' ? 500 : PATIENCE_MS, clock)),
    );
    for (const each of processes.filter(isProcessAlive)) signalProcess(each, signal);
  }
  await Promise.all(processes.map((each) => waitForEnd(each, PATIENCE_MS, clock)));
}
