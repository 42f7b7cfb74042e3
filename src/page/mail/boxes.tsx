import { useQuery } from '@tanstack/react-query';
import type { PageMailboxes } from '../../wire/index.ts';
import { useLive } from '../live/live.ts';
import { rowNamed } from '../live/picture.ts';
import { mailboxes } from '../live/queries.ts';
import { useQueryWord } from '../model/router.ts';
import { NotLoaded } from '../parts/feedback.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { StateShape } from '../parts/state-mark.tsx';

export type Mailbox = PageMailboxes['mailboxes'][number];

/** People first, then agents by name. */
export const inOrder = (boxes: readonly Mailbox[]): Mailbox[] =>
  [...boxes].sort(
    (a, b) =>
      Number(b.operator) - Number(a.operator) ||
      Number(a.agent !== null) - Number(b.agent !== null) ||
      a.address.localeCompare(b.address, 'en'),
  );

export function Boxes() {
  const asked = useQuery(mailboxes);
  const { data } = asked;
  const chosen = useQueryWord('mailbox');
  const box = useQueryWord('box');
  if (!data) return <NotLoaded asked={asked} what="mailboxes" />;
  return (
    <nav aria-label="Mailboxes">
      <Row href="/ui/mail" label="All mail" isChosen={chosen === undefined} />
      {inOrder(data.mailboxes).map((one) => (
        <div key={one.id}>
          <MailboxRow one={one} isChosen={chosen === one.id && !box} />
          {chosen === one.id &&
            one.boxes.map((name) => (
              <Row key={name} href={boxAddress(one.id, name)} label={name} isChosen={box === name} isInner />
            ))}
        </div>
      ))}
    </nav>
  );
}

const boxAddress = (mailbox: string, box?: string): string =>
  `/ui/mail?${new URLSearchParams({ mailbox, ...(box && { box }) }).toString()}`;

function MailboxRow({ one, isChosen }: { one: Mailbox; isChosen: boolean }) {
  const state = useLive(({ picture }) => rowNamed(picture?.agents.values(), one.agent ?? '')?.state);
  return (
    <Link
      data-row
      href={boxAddress(one.id)}
      aria-current={isChosen ? 'true' : undefined}
      title={one.trouble ?? one.address}
      className="flex items-center gap-2 px-4 py-1.5 hover:bg-bg focus-visible:outline-offset-[-2px] aria-[current]:bg-accent-soft aria-[current]:font-semibold"
    >
      {state && <StateShape state={state} />}
      <span className={`min-w-0 flex-1 truncate ${one.trouble ? 'text-wait' : ''}`}>
        <Plain
          text={one.operator ? `You (${one.address})` : (one.agent ?? one.display_name ?? one.address)}
        />
      </span>
      {one.unread ? <span className="digits text-xs font-semibold">{one.unread}</span> : null}
    </Link>
  );
}

function Row({
  href,
  label,
  isChosen,
  isInner,
}: {
  href: string;
  label: string;
  isChosen: boolean;
  isInner?: boolean;
}) {
  return (
    <Link
      href={href}
      aria-current={isChosen ? 'true' : undefined}
      className={`block truncate py-1.5 pr-4 hover:bg-bg focus-visible:outline-offset-[-2px] aria-[current]:bg-accent-soft aria-[current]:font-semibold ${isInner ? 'pl-9 text-muted capitalize' : 'pl-4'}`}
    >
      <Plain text={label} />
    </Link>
  );
}
