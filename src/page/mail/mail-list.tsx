import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type FormEvent, useCallback, useMemo } from 'react';
import { type MailChoice, mailboxes, mailList } from '../live/queries.ts';
import { goTo, usePlace, withQuery } from '../model/router.ts';
import { NotLoaded, Quiet } from '../parts/feedback.tsx';
import { useHeld } from '../parts/held.ts';
import { useHolding } from '../parts/holding.ts';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { NewRows } from '../parts/new-rows.tsx';
import { inOrder } from './boxes.tsx';
import { type ListedMessage, MessageRow } from './message-row.tsx';

const CHOICES = ['mailbox', 'box', 'q', 'unread'] as const;

const keyOf = ({ mailbox, message_ref }: ListedMessage): string => `${mailbox} ${message_ref}`;

interface Props {
  openRef: string | undefined;
  onWrite: (() => void) | undefined;
}

function emptyWords({ q, mailbox, unread }: MailChoice): string {
  if (q) return 'No messages match.';
  if (unread) return 'No unread mail here.';
  return mailbox
    ? 'No mail here.'
    : 'No mail yet. Each agent has a mailbox; "rouse launch claude ana --wake" starts one.';
}

export function MailList({ openRef, onWrite }: Props) {
  const { query } = usePlace();
  const choice: MailChoice = Object.fromEntries(CHOICES.map((name) => [name, query.get(name) ?? undefined]));
  const asked = useInfiniteQuery(mailList(choice));
  const { data, hasNextPage, isFetchingNextPage } = asked;
  const messages = useMemo(() => data?.pages.flatMap((page) => page.messages), [data]);
  const { rows, fresh, show } = useHeld(messages, useCallback(keyOf, []));
  const list = useHolding<HTMLUListElement>();
  const given = new URLSearchParams(
    Object.entries(choice).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  return (
    <>
      <ListHead choice={choice} onWrite={onWrite} fresh={fresh} show={show} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        {!data && <NotLoaded asked={asked} what="messages" rows={8} />}
        {data && rows.length === 0 && <Quiet>{emptyWords(choice)}</Quiet>}
        <ul ref={list}>
          {rows.map(({ row }) => (
            <MessageRow
              key={keyOf(row)}
              message={row}
              box={given.toString()}
              isOpen={row.message_ref === openRef}
            />
          ))}
        </ul>
        {hasNextPage && (
          <button
            type="button"
            className="btn btn-bare m-2"
            disabled={isFetchingNextPage}
            onClick={() => void asked.fetchNextPage()}
          >
            Older messages
          </button>
        )}
      </div>
    </>
  );
}

interface Head {
  choice: MailChoice;
  onWrite: (() => void) | undefined;
  fresh: number;
  show: () => void;
}

function ListHead({ choice, onWrite, fresh, show }: Head) {
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const words = String(new FormData(event.currentTarget).get('q') ?? '').trim();
    goTo(withQuery({ q: words || undefined, ref: undefined, at: undefined }));
  };
  return (
    <header className="space-y-2 border-b border-line p-2">
      <div className="mail-narrow">
        <ChooseMailbox chosen={choice.mailbox} />
        {onWrite && (
          <button type="button" className="btn btn-main" onClick={onWrite} aria-label="New message">
            <Icon name="pen" size={15} />
          </button>
        )}
      </div>
      <div className="flex items-center gap-2">
        <form onSubmit={search} className="min-w-0 flex-1">
          <input
            key={choice.q}
            type="search"
            name="q"
            defaultValue={choice.q}
            className="field"
            placeholder="Search mail"
            aria-label="Search mail"
          />
        </form>
        <Link
          href={withQuery({ unread: choice.unread ? undefined : 'true' })}
          aria-current={choice.unread ? 'true' : undefined}
          className="chip h-7 border border-line text-muted aria-[current]:border-accent aria-[current]:bg-accent-soft aria-[current]:text-accent"
        >
          Unread
        </Link>
        <NewRows fresh={fresh} show={show} />
      </div>
    </header>
  );
}

/** Replaces the pane of mailboxes on a narrow screen. */
function ChooseMailbox({ chosen }: { chosen: string | undefined }) {
  const { data } = useQuery(mailboxes);
  return (
    <select
      className="field"
      aria-label="Mailbox"
      value={chosen ?? ''}
      onChange={({ target }) =>
        goTo(target.value ? `/ui/mail?${new URLSearchParams({ mailbox: target.value })}` : '/ui/mail')
      }
    >
      <option value="">All mail</option>
      {inOrder(data?.mailboxes ?? []).map(({ id, operator, agent, address, unread }) => (
        <option key={id} value={id}>
          {operator ? `You (${address})` : (agent ?? address)}
          {unread ? ` (${unread})` : ''}
        </option>
      ))}
    </select>
  );
}
