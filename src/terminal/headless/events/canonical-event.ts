import type { EventKind } from '../../../tools/index.ts';

/** One event of a tool, in the same form for every tool. */
export interface CanonicalEvent {
  kind: EventKind;
  message: string;
  turnIndex: number;
  provider: string;
  /** The tool's own name for it. */
  providerEventType: string | null;
  timestampUtc: string;
  /** The chat's id, if it is known by now. */
  sessionId: string | null;
  /** Its line in stdout.jsonl, from 1, and that line's size. */
  line: number;
  bytes: number;
  /** The line itself if it is JSON and small; larger ones are in stdout.jsonl. */
  raw: string | null;
}

/** A line of canonical-events.jsonl. The raw line is JSON already and is inserted unchanged. */
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
