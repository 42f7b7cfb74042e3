import type { PageConversation } from '../../wire/index.ts';
import { plain } from '../model/plain.ts';
import { When } from '../parts/age.tsx';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { peopleOf, previewOf } from './names.ts';

interface Props {
  row: PageConversation;
  /** The query of its list, so that the list stays the same when it opens; undefined: its mailbox. */
  list?: string;
  isOpen?: boolean;
  /** It left the list, and is shown in its old place. */
  isGone?: boolean;
  isChosen?: boolean;
  /** Undefined: it cannot be chosen. */
  onChoose?: (isRange: boolean) => void;
}

/** People, subject, preview, count and age of a conversation. */
export function ConversationRow({ row, list, isOpen, isGone, isChosen = false, onChoose }: Props) {
  const { message, count, unread, archived } = row;
  const isNew = unread > 0 && !isGone;
  return (
    <li
      className={`conversation ${isGone ? 'opacity-50' : ''} ${isChosen || isOpen ? 'bg-accent-soft' : 'hover:bg-bg'}`}
      onKeyDown={(event) => {
        if (event.key.toLowerCase() !== 'x' || event.ctrlKey || event.metaKey || event.altKey || !onChoose)
          return;
        event.stopPropagation();
        onChoose(event.shiftKey);
      }}
    >
      {onChoose && (
        <span className="conversation-choice">
          <input
            type="checkbox"
            checked={isChosen}
            aria-label={`Choose ${plain(message.subject || '(no subject)')}`}
            onChange={({ nativeEvent }) => onChoose((nativeEvent as MouseEvent).shiftKey)}
          />
        </span>
      )}
      <Link
        data-row
        href={addressOf(row, list)}
        aria-current={isOpen ? 'true' : undefined}
        className={`block min-w-0 flex-1 py-2 pr-4 focus-visible:outline-offset-[-2px] ${onChoose ? 'pl-1' : 'pl-4'}`}
      >
        <span className="flex items-baseline gap-2">
          {isNew && (
            <span
              className="size-2 shrink-0 self-center rounded-full bg-accent"
              role="img"
              aria-label={`${unread} unread`}
            />
          )}
          <span className={`min-w-0 flex-1 truncate ${isNew ? 'font-semibold' : ''}`}>
            <Plain text={peopleOf(row)} />
          </span>
          {count > 1 && (
            <span className="digits text-xs text-muted" title={`${count} messages`}>
              {count}
            </span>
          )}
          {message.attachments.length > 0 && <Icon name="clip" size={13} />}
          <span className="text-xs text-muted">
            <When utc={message.created_at_utc} />
          </span>
        </span>
        <span className={`block truncate ${isNew ? 'font-semibold' : ''}`}>
          <Plain text={message.subject || '(no subject)'} />
        </span>
        <span className="block truncate text-xs text-muted">
          {archived && <span className="chip mr-1 h-4 bg-sunken px-1.5">archived</span>}
          {message.answered && <span className="text-idle">answered · </span>}
          <Plain text={previewOf(message)} />
        </span>
      </Link>
    </li>
  );
}

function addressOf({ mailbox, message }: PageConversation, list: string | undefined): string {
  const query = new URLSearchParams(list ?? { mailbox });
  query.set('at', mailbox);
  query.set('ref', message.message_ref);
  return `/ui/mail?${query.toString()}`;
}
