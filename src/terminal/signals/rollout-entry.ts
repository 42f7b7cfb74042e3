import type { LogEntry } from './session-log.ts';

interface Line {
  timestamp?: string;
  type?: string;
  payload?: {
    type?: unknown;
    message?: unknown;
    last_agent_message?: unknown;
    item?: { type?: unknown; content?: unknown };
  };
}

/** Up to 0.144 a prompt is an event of its own; from 0.155 on it is a finished item of the turn. */
export function entryOf(line: string): LogEntry[] {
  let parsed: Line | null;
  try {
    parsed = JSON.parse(line) as Line | null;
  } catch {
    return [];
  }
  const payload = parsed?.payload;
  if (parsed?.type !== 'event_msg' || typeof payload?.type !== 'string') return [];
  const atMs = Date.parse(parsed.timestamp ?? '');
  const entry = { atMs: Number.isNaN(atMs) ? 0 : atMs };
  if (payload.type === 'item_completed' && payload.item?.type === 'UserMessage') {
    return [{ ...entry, kind: 'user_message', text: textOf(payload.item.content) }];
  }
  const answer = payload.last_agent_message;
  return [
    {
      ...entry,
      kind: payload.type,
      text: String(payload.message ?? ''),
      ...(typeof answer === 'string' && answer !== '' && { answer }),
    },
  ];
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : ''))
    .join('');
}
