import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { PageMessage } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { mailboxes, messageOf, receiptsOf, threadOf } from '../live/queries.ts';
import { goTo, withQuery } from '../model/router.ts';
import { NotLoaded, Trouble } from '../parts/feedback.tsx';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { Compose } from './compose.tsx';
import { Message } from './message.tsx';
import { Reply } from './reply.tsx';
import { type Change, useMarkRead, useSorting } from './sorting.ts';

interface Props {
  mailbox: string;
  reference: string;
}

/** A conversation, oldest first. Unread messages, the chosen one and the last one are open. */
export function Thread({ mailbox, reference }: Props) {
  const one = useQuery(messageOf(mailbox, reference));
  const id = one.data?.message.thread_ref ?? reference;
  const thread = useQuery({ ...threadOf(mailbox, id), enabled: one.data !== undefined });
  const receipts = useQuery({ ...receiptsOf(mailbox, id), enabled: one.data !== undefined });
  const error = one.error ?? thread.error;
  if (!one.data) return <NotLoaded asked={{ error, refetch: one.refetch }} what="the message" />;
  const { message } = one.data;
  const messages = thread.data?.messages ?? [message];
  const last = messages.at(-1) ?? message;
  const refs = thread.data?.refs ?? [];
  const own = messages.filter(({ message_ref }) => refs.includes(message_ref));
  const receiptsBy = new Map(receipts.data?.messages.map(({ ref, receipts: each }) => [ref, each]));
  return (
    <article className="flex min-h-0 flex-1 flex-col">
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <Link
          href={withQuery({ ref: undefined, at: undefined })}
          className="mail-back -ml-2 px-1 py-2 text-muted"
          aria-label="Back to the list"
        >
          <Icon name="back" />
        </Link>
        <h2 className="min-w-0 flex-1 basis-40 text-base font-semibold">
          <Plain text={message.subject || '(no subject)'} />
        </h2>
        {thread.data && <Sort mailbox={mailbox} own={own} last={last} />}
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {thread.data?.truncated && (
          <p className="px-4 py-2 text-xs text-muted">Older messages of this thread are not shown.</p>
        )}
        {messages.map((each) => (
          <Message
            key={each.message_ref}
            message={each}
            receipts={receiptsBy.get(each.message_ref)}
            isOpen={each === last || each.message_ref === reference || each.unread === true}
          />
        ))}
      </div>
      <Reply mailbox={mailbox} thread={id} reference={reference} />
    </article>
  );
}

interface SortProps {
  mailbox: string;
  /** The messages of the thread that this mailbox sorts. */
  own: readonly PageMessage[];
  last: PageMessage;
}

/** Opening marks mail in the person's own mailbox as read; other mailboxes are not changed by reading. */
function Sort({ mailbox, own, last }: SortProps) {
  const [isForwarding, setForwarding] = useState(false);
  const { sending, sort } = useSorting();
  const may = useMay('write');
  const mayOperate = useMay('operate');
  const isOwn = useQuery(mailboxes).data?.mailboxes.find(({ id }) => id === mailbox)?.operator ?? false;
  const unread = own.filter((each) => each.unread).map(({ message_ref }) => message_ref);
  const marking = useMarkRead();
  const isMarked = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each conversation that is opened
  useEffect(() => {
    if (!isOwn || !may || unread.length === 0 || isMarked.current) return;
    isMarked.current = true;
    void marking(mailbox, unread);
  }, [isOwn, unread.length]);
  if (!may) return null;
  const refs = own.map(({ message_ref }) => message_ref);
  const isOff = sending.state === 'sending' || refs.length === 0 || !(isOwn || mayOperate);
  const isArchived = own.length > 0 && own.every(({ archived }) => archived);
  const act = async (change: Change) => {
    isMarked.current = true;
    if (await sort([{ mailbox, refs }], change)) goTo(withQuery({ ref: undefined, at: undefined }));
  };
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {sending.state === 'failed' && <Trouble error={sending.error} />}
      <button type="button" data-key="f" className="btn" onClick={() => setForwarding(true)}>
        Forward
      </button>
      {!isArchived && (
        <button
          type="button"
          data-key="u"
          className="btn"
          disabled={isOff}
          onClick={() => void act({ read: false })}
        >
          Mark unread
        </button>
      )}
      <button
        type="button"
        data-key="e"
        className="btn"
        disabled={isOff}
        onClick={() => void act({ archived: !isArchived })}
      >
        <Icon name="archive" size={15} />
        {isArchived ? 'Unarchive' : 'Archive'}
      </button>
      {isForwarding && <Compose forwarded={last} onClose={() => setForwarding(false)} />}
    </div>
  );
}
