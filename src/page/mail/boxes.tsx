import { useQuery } from '@tanstack/react-query';
import type { PageMailboxes } from '../../wire/index.ts';
import { useLive } from '../live/live.ts';
import { rowNamed } from '../live/picture.ts';
import { mailboxes } from '../live/queries.ts';
import { plain } from '../model/plain.ts';
import { goTo, useQueryWord } from '../model/router.ts';
import { NotLoaded } from '../parts/feedback.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { StateShape } from '../parts/state-mark.tsx';

export type Mailbox = PageMailboxes['mailboxes'][number];

interface Order {
  people: Mailbox[];
  running: Mailbox[];
  stopped: Mailbox[];
}

/** People first, then agents that run, then those that are stopped; each by name. */
export function inOrder(boxes: readonly Mailbox[], isStopped: (agent: string) => boolean): Order {
  const sorted = [...boxes].sort(
    (a, b) => Number(b.operator) - Number(a.operator) || labelOf(a).localeCompare(labelOf(b), 'en'),
  );
  const isOver = ({ agent }: Mailbox): boolean => agent !== null && isStopped(agent);
  return {
    people: sorted.filter(({ agent }) => agent === null),
    running: sorted.filter((box) => box.agent !== null && !isOver(box)),
    stopped: sorted.filter(isOver),
  };
}

const labelOf = ({ operator, agent, display_name, address }: Mailbox): string =>
  operator ? 'You' : (agent ?? display_name ?? address);

function useBoxes() {
  const asked = useQuery(mailboxes);
  const agents = useLive(({ picture }) => picture?.agents);
  const isStopped = (agent: string): boolean => rowNamed(agents?.values(), agent)?.state === 'gone';
  return { asked, order: asked.data && inOrder(asked.data.mailboxes, isStopped) };
}

export function Boxes() {
  const { asked, order } = useBoxes();
  const chosen = useQueryWord('mailbox');
  const box = useQueryWord('box');
  if (!order) return <NotLoaded asked={asked} what="mailboxes" />;
  const rows = (boxes: Mailbox[]) =>
    boxes.map((one) => (
      <div key={one.id}>
        <MailboxRow one={one} isChosen={chosen === one.id && !box} />
        {chosen === one.id &&
          one.boxes.map((name) => (
            <Row key={name} href={boxAddress(one.id, name)} label={name} isChosen={box === name} isInner />
          ))}
      </div>
    ));
  return (
    <nav aria-label="Mailboxes">
      <Row href="/ui/mail" label="All mail" isChosen={chosen === undefined} />
      {rows(order.people)}
      {rows(order.running)}
      {order.stopped.length > 0 && (
        <details open={order.stopped.some(({ id }) => id === chosen) || undefined}>
          <summary className="px-4 py-1.5 text-xs text-muted">Stopped ({order.stopped.length})</summary>
          {rows(order.stopped)}
        </details>
      )}
    </nav>
  );
}

/** Replaces the pane of mailboxes on a narrow screen. */
export function ChooseMailbox({ chosen }: { chosen: string | undefined }) {
  const { order } = useBoxes();
  const options = (boxes: Mailbox[] = []) =>
    boxes.map((one) => (
      <option key={one.id} value={one.id}>
        {plain(labelOf(one))}
        {one.unread ? ` (${one.unread})` : ''}
      </option>
    ));
  return (
    <select
      className="field min-w-0"
      aria-label="Mailbox"
      value={chosen ?? ''}
      onChange={({ target }) => goTo(target.value ? boxAddress(target.value) : '/ui/mail')}
    >
      <option value="">All mail</option>
      {options(order?.people)}
      {options(order?.running)}
      {order && order.stopped.length > 0 && <optgroup label="Stopped">{options(order.stopped)}</optgroup>}
    </select>
  );
}

const boxAddress = (mailbox: string, box?: string): string =>
  `/ui/mail?${new URLSearchParams({ mailbox, ...(box && { box }) }).toString()}`;

function MailboxRow({ one, isChosen }: { one: Mailbox; isChosen: boolean }) {
  const state = useLive(({ picture }) => rowNamed(picture?.agents.values(), one.agent ?? '')?.state);
  return (
    <Link
      href={boxAddress(one.id)}
      aria-current={isChosen ? 'true' : undefined}
      title={one.trouble ?? one.address}
      className="flex items-center gap-2 px-4 py-1.5 hover:bg-bg focus-visible:outline-offset-[-2px] aria-[current]:bg-accent-soft aria-[current]:font-semibold"
    >
      {state && <StateShape state={state} />}
      <span className={`min-w-0 flex-1 truncate ${one.trouble ? 'text-wait' : ''}`}>
        <Plain text={labelOf(one)} />
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
