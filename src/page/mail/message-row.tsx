import type { PageMailList } from '../../wire/index.ts';
import { When } from '../parts/age.tsx';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';

export type ListedMessage = PageMailList['messages'][number];

export const nameOf = ({
  address,
  display_name,
}: {
  address: string;
  display_name?: string | null | undefined;
}): string => display_name || address.replace(/@.*$/, '') || address;

interface Props {
  message: ListedMessage;
  /** The query of its list, so that the list stays the same when the message opens. */
  box: string | undefined;
  isOpen: boolean;
}

/** Sender, recipients, subject, preview and age. */
export function MessageRow({ message, box, isOpen }: Props) {
  const { sender, to, subject, body_preview, created_at_utc, attachments, unread, answered } = message;
  return (
    <li className="[content-visibility:auto] [contain-intrinsic-height:4.25rem]">
      <Link
        data-row
        href={messageAddress(message, box)}
        aria-current={isOpen ? 'true' : undefined}
        className="block border-b border-line px-4 py-2 hover:bg-bg focus-visible:outline-offset-[-2px] aria-[current]:bg-accent-soft"
      >
        <div className="flex items-baseline gap-2">
          {unread && (
            <span
              className="size-2 shrink-0 self-center rounded-full bg-accent"
              role="img"
              aria-label="unread"
            />
          )}
          <span className={`min-w-0 flex-1 truncate ${unread ? 'font-semibold' : ''}`}>
            <Plain text={nameOf(sender)} />
            <span className="text-muted"> → </span>
            <Plain text={to.map(nameOf).join(', ')} />
          </span>
          {attachments.length > 0 && <Icon name="clip" size={13} />}
          <span className="text-xs text-muted">
            <When utc={created_at_utc} />
          </span>
        </div>
        <div className={`truncate ${unread ? 'font-semibold' : ''}`}>
          <Plain text={subject || '(no subject)'} />
        </div>
        <div className="truncate text-xs text-muted">
          {answered && <span className="text-idle">answered · </span>}
          <Plain text={body_preview ?? ''} />
        </div>
      </Link>
    </li>
  );
}

function messageAddress({ mailbox, message_ref }: ListedMessage, chosen: string | undefined): string {
  const query = new URLSearchParams(chosen ?? `mailbox=${encodeURIComponent(mailbox)}`);
  query.set('at', mailbox);
  query.set('ref', message_ref);
  return `/ui/mail?${query.toString()}`;
}
