import { FileTroubles, writeJsonAtomic } from '../base/index.ts';
import type { Agent } from './agent.ts';

/**
 * Writes the agent's state to a file, as some real tools do: idle, busy, or waiting for a person. A failed write is retried
 * and never stops the agent.
 */
export function keepStatusFile(file: string, agent: Agent, sessionId: string): void {
  let last = '';
  let begun = false;
  const write = (): void => {
    const status = agent.dialog ? 'waiting' : agent.engine.current ? 'busy' : 'idle';
    begun ||= status === 'busy';
    if (status === last) return;
    const updated = agent.clock.now().toISOString();
    const waiting = agent.dialog ? { waiting_for: agent.dialog.kind } : {};
    const facts = { pid: process.pid, session_id: sessionId, begun, status, updated_at: updated, ...waiting };
    writeJsonAtomic(file, facts, { durable: false });
    last = status;
  };
  const writer = new FileTroubles(agent.clock).writer(file, write);
  agent.journal.events.on((event) => {
    if (event.type !== 'draft' && event.type !== 'drawn') writer.write();
  });
}
