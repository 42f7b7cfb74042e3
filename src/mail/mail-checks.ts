import { type MailMark, type MailReply, parseBoxName, parseMailRef, parseMailRefs } from '../domain/index.ts';
import { checkOperation } from './schema/index.ts';

type Checked<Name extends 'mark' | 'reply'> = ReturnType<typeof checkOperation<Name>>;

/**
 * Checks what a caller passes about existing messages before the mailbox acts: refs become ids, and refs of another
 * transport are refused.
 */
export class MailChecks {
  readonly #transport: string;

  constructor(transport: string) {
    this.#transport = transport;
  }

  id(messageRef: string): string {
    return parseMailRef(this.#transport, messageRef);
  }

  ids(messageRefs: readonly string[]): string[] {
    return parseMailRefs(this.#transport, messageRefs);
  }

  reply(input: MailReply): { id: string; reply: Omit<Checked<'reply'>, 'message_ref'> } {
    const { message_ref, ...reply } = checkOperation('reply', input);
    return { id: this.id(message_ref), reply };
  }

  mark(input: MailMark): { ids: string[]; flags: Omit<Checked<'mark'>, 'message_refs'> } {
    const { message_refs, ...flags } = checkOperation('mark', input);
    return { ids: this.ids(message_refs), flags };
  }

  move(messageRefs: readonly string[], destinationBox: string): { ids: string[]; box: string } {
    const box = parseBoxName(destinationBox, 'destination_box');
    return { ids: this.ids(messageRefs), box };
  }
}
