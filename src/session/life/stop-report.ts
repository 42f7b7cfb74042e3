/** `ended`: its tmux session and what ran in it. `left`: it was joined, and continues as before. `gone`: already. */
export type SessionEnd = 'ended' | 'left' | 'gone';

export interface StopReport {
  session: SessionEnd;
  notes: string[];
}

/** How the session ended, for people. */
const END_WORDS: Record<SessionEnd, string> = {
  ended: 'stopped',
  left: 'left: its tmux session and its tool go on, as they were before it was joined',
  gone: 'its session was gone already; what was left of it is cleared',
};

/** The report as commands and servers print it. */
export function stopAnswer({ session, notes }: StopReport) {
  return {
    status: 'ok' as const,
    action: session === 'left' ? 'leave' : 'terminate',
    detail: END_WORDS[session],
    session,
    was_running: session !== 'gone',
    notes,
  };
}
