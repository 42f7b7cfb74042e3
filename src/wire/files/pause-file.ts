import { type AgentPause, parseUtcTime } from '../../domain/index.ts';

/**
 * gateway/pause.json: a person's pause of the agent; missing without one. The lane reads it at the instant of typing. Commands
 * write it for a session without a gateway.
 */
export interface PauseFile extends AgentPause {
  schema_version: 1;
}

export const pauseFile = ({ since_utc, until_utc }: AgentPause): PauseFile => ({
  schema_version: 1,
  since_utc,
  until_utc,
});

/** A file that cannot be read keeps the agent paused until a person resumes it: its content is not known. */
export function readPause(text: string | undefined, nowMs: number): AgentPause | undefined {
  if (text === undefined) return undefined;
  const { since_utc, until_utc } = objectIn(text);
  const since = stampOf(since_utc) ?? new Date(nowMs).toISOString();
  const until = stampOf(until_utc);
  if (until === undefined) return { since_utc: since, until_utc: null };
  return Date.parse(until) > nowMs ? { since_utc: since, until_utc: until } : undefined;
}

function stampOf(value: unknown): string | undefined {
  const ms = typeof value === 'string' ? parseUtcTime(value) : undefined;
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

function objectIn(text: string): { since_utc?: unknown; until_utc?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
}
