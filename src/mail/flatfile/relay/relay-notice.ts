import { sha256 } from '../../../base/index.ts';
import type { FlatMessage } from '../format/envelope.ts';

/** Makes any text fit into one envelope value. */
export const oneLine = (text: string | null): string =>
  (text ?? '').replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, 500);

/**
 * The notice to the sender of an undeliverable message. Its id is made from its content: repeated after a crash it is a
 * duplicate, and for the next try of a corrected message it is new.
 */
export function undeliverableNotice(
  sender: string,
  { msg_id, to, reason }: { msg_id: string | null; to: string; reason: string | null },
): FlatMessage {
  const body = `Your message ${msg_id} to ${to} was not delivered: ${reason}.\n\nIt is marked in outbox.md. Correct it and set its status to pending to try again.`;
  const hash = sha256(`${msg_id}\n${body}`).slice(0, 16);
  return {
    fields: new Map([
      ['from', 'relay@rouse'],
      ['to', `totebox@${sender}`],
      ['re', oneLine(`undeliverable: ${msg_id}`)],
      ['msg-id', `undeliverable-${hash}`],
      ['in-reply-to', msg_id ?? ''],
    ]),
    body,
  };
}
