import type { EventKind } from '../../../tools/index.ts';

/** One thing a tool said, in the same words for every tool. */
export interface CanonicalEvent {
  kind: EventKind;
  message: string;
  turnIndex: number;
  provider: string;
  /** What the tool itself calls it. */
  providerEventType: string | null;
  timestampUtc: string;
  /** The chat's id as far as it is known by now. */
  sessionId: string | null;
  /** Its line in stdout.jsonl, from 1, and that line's size. */
  line: number;
  bytes: number;
  /** The line itself when it is JSON and small; larger ones are read in stdout.jsonl. */
  raw: string | null;
}

/** A line of canonical-events.jsonl. The raw line is JSON already and is put in as it is. */
export function renderEvent(event: CanonicalEvent): string {
  const fields = JSON.stringify({
    kind: event.kind,
    message: event.message,
    turn_index: event.turnIndex,
    provider: event.provider,
    provider_event_type: event.providerEventType,
    timestamp_utc: event.timestampUtc,
    session_id: event.sessionId,
    data: { line: event.line, bytes: event.bytes },
  });
  return `${fields.slice(0, -1)},"raw_payload":${event.raw ?? 'null'}}\n`;
}
