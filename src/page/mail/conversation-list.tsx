import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { PageConversation } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { MAIL_CHOICES, type MailChoice, mailboxes, mailList } from '../live/queries.ts';
import { usePlace } from '../model/router.ts';
import { NotLoaded, Quiet, Trouble } from '../parts/feedback.tsx';
import { useHeld } from '../parts/held.ts';
import { useHolding } from '../parts/holding.ts';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { NewRows } from '../parts/new-rows.tsx';
import { ChooseMailbox } from './boxes.tsx';
import { ConversationRow } from './conversation-row.tsx';
import { Filters } from './filters.tsx';
import { keyOf } from './names.ts';
import { type Selection, useSelection } from './selection.ts';
import { type Change, useSorting } from './sorting.ts';

interface Props {
  openRef: string | undefined;
  onWrite: (() => void) | undefined;
}

function emptyWords(choice: MailChoice): string {
  if (MAIL_CHOICES.some((name) => name !== 'mailbox' && name !== 'box' && choice[name]))
    return 'No conversations match.';
  return choice.mailbox || choice.box
    ? 'No mail here.'
    : 'No mail yet. Each agent has a mailbox; "rouse launch claude ana --wake" starts one.';
}

/** One row per conversation, newest first. */
export function ConversationList({ openRef, onWrite }: Props) {
  const { query } = usePlace();
  const choice: MailChoice = Object.fromEntries(
    MAIL_CHOICES.map((name) => [name, query.get(name) ?? undefined]),
  );
  const asked = useInfiniteQuery(mailList(choice));
  const { data, hasNextPage, isFetchingNextPage } = asked;
  const found = useMemo(() => data?.pages.flatMap((page) => page.conversations), [data]);
  const { rows, fresh, show } = useHeld(found, useCallback(keyOf, []));
  const list = useHolding<HTMLUListElement>();
  const address = new URLSearchParams(
    MAIL_CHOICES.flatMap((name) => (choice[name] ? [[name, choice[name]]] : [])),
  ).toString();
  const keys = useMemo(() => rows.filter(({ isGone }) => !isGone).map(({ row }) => keyOf(row)), [rows]);
  const selection = useSelection(keys, address);
  const may = useMay('write');
  return (
    <>
      <header className="space-y-2 border-b border-line p-2">
        <div className="mail-narrow">
          <ChooseMailbox chosen={choice.mailbox} />
          {onWrite && (
            <button
              type="button"
              data-key="c"
              className="btn btn-main"
              onClick={onWrite}
              aria-label="New message"
            >
              <Icon name="pen" size={15} />
            </button>
          )}
        </div>
        <Filters choice={choice} />
        {may && rows.length > 0 && (
          <Chosen rows={rows.map(({ row }) => row)} selection={selection} count={keys.length} />
        )}
        <NewRows fresh={fresh} show={show} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {!data && <NotLoaded asked={asked} what="conversations" rows={8} />}
        {data && rows.length === 0 && (
          <Quiet>
            {emptyWords(choice)}{' '}
            {address !== '' && (
              <Link href="/ui/mail" className="text-accent underline">
                Clear filters
              </Link>
            )}
          </Quiet>
        )}
        <ul ref={list} aria-label="Conversations">
          {rows.map(({ row, isGone }) => (
            <ConversationRow
              key={keyOf(row)}
              row={row}
              list={address}
              isGone={isGone}
              isOpen={
                openRef !== undefined && (row.refs.includes(openRef) || row.message.message_ref === openRef)
              }
              isChosen={selection.chosen.has(keyOf(row))}
              {...(may && !isGone && { onChoose: (isRange) => selection.toggle(keyOf(row), isRange) })}
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
            Older conversations
          </button>
        )}
      </div>
    </>
  );
}

interface ChosenProps {
  rows: readonly PageConversation[];
  selection: Selection;
  count: number;
}

/** What can be done with the chosen conversations. */
function Chosen({ rows, selection: { chosen, setAll }, count }: ChosenProps) {
  const { sending, sort } = useSorting();
  const mayOperate = useMay('operate');
  const own = useQuery(mailboxes).data?.mailboxes.find(({ operator }) => operator)?.id;
  const picked = rows.filter((row) => chosen.has(keyOf(row)));
  const isAllowed = mayOperate || picked.every(({ mailbox }) => mailbox === own);
  const isOff = !isAllowed || sending.state === 'sending';
  const act = async (change: Change) => {
    if (await sort(picked, change)) setAll(false);
  };
  const hasArchived = picked.some(({ archived }) => archived);
  const hasOpen = picked.some(({ archived }) => !archived);
  const hasUnread = picked.some(({ unread }) => unread > 0);
  return (
    <fieldset className="flex flex-wrap items-center gap-x-2 gap-y-1" aria-label="Chosen">
      <label className="flex items-center gap-2 pl-2 text-xs text-muted">
        <input
          type="checkbox"
          checked={chosen.size > 0 && chosen.size === count}
          ref={(box) => {
            if (box) box.indeterminate = chosen.size > 0 && chosen.size < count;
          }}
          onChange={({ target }) => setAll(target.checked)}
        />
        {chosen.size === 0 ? 'All' : `${chosen.size} chosen`}
      </label>
      {chosen.size > 0 && (
        <>
          {hasOpen && (
            <button
              type="button"
              className="btn min-h-7 px-2"
              data-key="e"
              disabled={isOff}
              onClick={() => void act({ archived: true })}
            >
              Archive
            </button>
          )}
          {hasArchived && (
            <button
              type="button"
              className="btn min-h-7 px-2"
              disabled={isOff}
              onClick={() => void act({ archived: false })}
            >
              Unarchive
            </button>
          )}
          {hasUnread && (
            <button
              type="button"
              className="btn min-h-7 px-2"
              disabled={isOff}
              onClick={() => void act({ read: true })}
            >
              Mark read
            </button>
          )}
          {!hasUnread && hasOpen && (
            <button
              type="button"
              className="btn min-h-7 px-2"
              data-key="u"
              disabled={isOff}
              onClick={() => void act({ read: false })}
            >
              Mark unread
            </button>
          )}
        </>
      )}
      {!isAllowed && (
        <span className="text-xs text-muted">View only: ask for an "operate" link to sort agents' mail.</span>
      )}
      {sending.state === 'failed' && <Trouble error={sending.error} />}
    </fieldset>
  );
}
