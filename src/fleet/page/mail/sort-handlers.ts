import { messageOf, utcStamp } from '../../../base/index.ts';
import { ARCHIVE, INBOX, type MailMessage, OPERATOR, type PageRight } from '../../../domain/index.ts';
import type { Mailbox } from '../../../mail/index.ts';
import type { PageMailSorted } from '../../../wire/index.ts';
import type { Call, MailHandlerParts } from './mail-parts.ts';

type Before = PageMailSorted['before'];
interface Wanted {
  read: boolean | undefined;
  archived: boolean | undefined;
}

/** Changes what is in a mailbox: one's own with `write`, an agent's with `operate`. */
export function sortHandlers({ door, doing, mail }: MailHandlerParts) {
  const rightFor = (id: string): PageRight => (id === OPERATOR.address ? 'write' : 'operate');
  const session = (context: Call<'page.mail.sort'>['context'], groups: readonly { mailbox: string }[]) => {
    const rights = new Set(groups.map(({ mailbox }) => rightFor(mailbox)));
    return door.require(context, rights.has('operate') ? 'operate' : 'write');
  };
  return {
    'page.mail.sort': async ({ context, body }: Call<'page.mail.sort'>): Promise<PageMailSorted> => {
      door.require(context, 'write');
      const { action_id: actionId, chosen, read, archived } = await body();
      const who = session(context, chosen);
      const target = targetOf(chosen);
      const act = {
        action: 'mail.sort',
        target,
        actionId,
        asked: { chosen, read, archived },
        repeatable: true,
      };
      return doing.once(who, act, async () => {
        const before: Before = [];
        const failed: PageMailSorted['failed'] = [];
        const errors: unknown[] = [];
        for (const { mailbox: id, refs } of chosen)
          try {
            before.push(...(await mail.open(id, (box) => sort(box, { id, refs }, { read, archived }))));
          } catch (error) {
            errors.push(error);
            failed.push({ mailbox: id, message: messageOf(error) });
          }
        if (before.length === 0 && errors.length > 0) throw errors[0];
        return {
          action_id: actionId,
          sentence: sentence(before, { read, archived }),
          at_utc: utcStamp(doing.now()),
          repeated: false,
          before,
          failed,
        };
      });
    },
    'page.mail.restore': async ({ context, body }: Call<'page.mail.restore'>) => {
      door.require(context, 'write');
      const { action_id: actionId, before } = await body();
      const who = session(context, before);
      const target = targetOf(before);
      const act = { action: 'mail.restore', target, actionId, asked: before, repeatable: true };
      return doing.receipt(who, act, async () => {
        for (const { mailbox: id, ...state } of before)
          await mail.open(id, (mailbox) => restore(mailbox, state));
        return { sentence: `Undone: ${count(before)} as before.` };
      });
    },
  };
}

const targetOf = (groups: readonly { mailbox: string }[]): string =>
  [...new Set(groups.map(({ mailbox }) => mailbox))].join(', ').slice(0, 500);

/** Changes those that are not so yet, and returns how they were. */
async function sort(
  mailbox: Mailbox,
  { id, refs }: { id: string; refs: string[] },
  { read, archived }: Wanted,
): Promise<Before> {
  const all = await Promise.all([...new Set(refs)].map((ref) => mailbox.peek(ref)));
  const changed = all.filter(
    (message) =>
      (archived !== undefined && message.archived !== archived) ||
      (read !== undefined && message.read !== read && !(message.archived && !read && archived !== false)),
  );
  if (changed.length === 0) return [];
  // Only archived mail is moved to the inbox: mail in another box stays there.
  const moved = changed.filter((message) => archived !== undefined && message.archived !== archived);
  const kept = changed.filter((message) => !moved.includes(message));
  if (moved.length > 0) await mailbox.mark({ message_refs: refsOf(moved), archived, read });
  if (kept.length > 0) await mailbox.mark({ message_refs: refsOf(kept), read });
  const groups = new Map<string, Before[number]>();
  for (const { box, read: wasRead, message_ref } of changed) {
    const key = `${wasRead} ${box}`;
    const group = groups.get(key) ?? { mailbox: id, box, read: wasRead, refs: [] };
    group.refs.push(message_ref);
    groups.set(key, group);
  }
  return [...groups.values()];
}

const refsOf = (messages: readonly MailMessage[]): string[] => messages.map(({ message_ref }) => message_ref);

/** Puts messages back into their box, and their mark back as it was. */
async function restore(
  mailbox: Mailbox,
  { box, read, refs: message_refs }: Omit<Before[number], 'mailbox'>,
): Promise<void> {
  const mark = mailbox.capabilities.read_flag ? { read } : {};
  if (box === INBOX || box === ARCHIVE)
    await mailbox.mark({ message_refs, archived: box === ARCHIVE, ...(box === INBOX && mark) });
  else {
    await mailbox.move(message_refs, box);
    if (mailbox.capabilities.read_flag) await mailbox.mark({ message_refs, ...mark });
  }
}

const count = (before: Before): string => {
  const length = before.reduce((sum, { refs }) => sum + refs.length, 0);
  return length === 1 ? '1 message' : `${length} messages`;
};

function sentence(before: Before, { read, archived }: Wanted): string {
  if (before.length === 0) return 'Nothing to change: all of it is so already.';
  if (archived !== undefined) return `${count(before)} ${archived ? 'archived' : 'back in the inbox'}.`;
  return `${count(before)} marked as ${read ? 'read' : 'unread'}.`;
}
