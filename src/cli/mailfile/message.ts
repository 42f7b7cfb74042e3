import type { FoundEntry, ShownMessage } from '../../mail/index.ts';

export interface JsonMessage {
  ref: string;
  msg_id: string | null;
  from: string | null;
  to: string | null;
  re: string | null;
  created: string | null;
  status: string;
  priority: string | null;
  in_reply_to: string | null;
  fields: Record<string, string>;
}

/** A message as JSON, for scripts. */
export function asJson({ ref, fields, status }: FoundEntry | ShownMessage): JsonMessage {
  const of = (key: string): string | null => fields.get(key) ?? null;
  return {
    ref,
    msg_id: of('msg-id'),
    from: of('from'),
    to: of('to'),
    re: of('re'),
    created: of('created'),
    status,
    priority: of('priority'),
    in_reply_to: of('in-reply-to'),
    fields: Object.fromEntries(fields),
  };
}
