import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { PageReceipt } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { mailboxes, messageOf, threadOf } from '../live/queries.ts';
import { goTo, withQuery } from '../model/router.ts';
import { useAction } from '../parts/action.ts';
import { NotLoaded, Trouble } from '../parts/feedback.tsx';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { Message } from './message.tsx';
import { Reply } from './reply.tsx';

interface Props {
  mailbox: string;
  reference: string;
}

/** A thread, oldest first. The chosen message and the last one are open. */
export function Thread({ mailbox, reference }: Props) {
  const one = useQuery(messageOf(mailbox, reference));
  const thread = useQuery({
    ...threadOf(mailbox, one.data?.message.thread_ref ?? reference),
    enabled: one.data !== undefined,
  });
  const error = one.error ?? thread.error;
  if (!one.data) return <NotLoaded asked={{ error, refetch: one.refetch }} what="the message" />;
  const { message } = one.data;
  const messages = thread.data?.messages ?? [message];
  const last = messages.at(-1);
  return (
    <article className="flex min-h-0 flex-1 flex-col">
      <header className="flex items-center gap-2 border-b border-line px-4 py-2">
        <Link
          href={withQuery({ ref: undefined, at: undefined })}
          className="mail-back -ml-2 px-1 py-2 text-muted"
          aria-label="Back to the list"
        >
          <Icon name="back" />
        </Link>
        <h2 className="min-w-0 flex-1 text-base font-semibold">
          <Plain text={message.subject || '(no subject)'} />
        </h2>
        <Keep
          mailbox={mailbox}
          reference={reference}
          isArchived={message.archived === true}
          isUnread={message.unread === true}
        />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {thread.data?.truncated && (
          <p className="px-4 py-2 text-xs text-muted">Older messages of this thread are not shown.</p>
        )}
        {messages.map((each) => (
          <Message
            key={each.message_ref}
            message={each}
            isOpen={each === last || each.message_ref === reference}
          />
        ))}
      </div>
      {last && <Reply mailbox={mailbox} reference={reference} />}
    </article>
  );
}

/** Marks mail in the person's own mailbox as read; other mailboxes are not changed by reading. */
function Keep({
  mailbox,
  reference,
  isArchived,
  isUnread,
}: Props & { isArchived: boolean; isUnread: boolean }) {
  const { sending, run } = useAction<PageReceipt>();
  const marking = useAction<PageReceipt>();
  const may = useMay('write');
  const isOwn = useQuery(mailboxes).data?.mailboxes.find(({ id }) => id === mailbox)?.operator ?? false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each message that is opened
  useEffect(() => {
    if (isOwn && isUnread && may) void marking.run('mail/mark', { mailbox, refs: [reference], read: true });
  }, [isOwn, isUnread, reference]);
  if (!may || isArchived) return null;
  const archive = async () => {
    if (await run('mail/archive', { mailbox, refs: [reference] }))
      goTo(withQuery({ ref: undefined, at: undefined }));
  };
  return (
    <>
      {sending.state === 'failed' && <Trouble error={sending.error} />}
      <button
        type="button"
        data-key="e"
        className="btn"
        disabled={sending.state === 'sending'}
        onClick={() => void archive()}
      >
        <Icon name="archive" size={15} />
        Archive
      </button>
    </>
  );
}
