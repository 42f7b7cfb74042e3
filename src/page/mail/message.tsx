import { useState } from 'react';
import type { PageMessage } from '../../wire/index.ts';
import { agentPath } from '../model/router.ts';
import { When } from '../parts/age.tsx';
import { CommandLine } from '../parts/command-line.tsx';
import { Link } from '../parts/link.tsx';
import { Body, Plain } from '../parts/plain-text.tsx';
import { Attachments } from './attachments.tsx';
import { nameOf } from './message-row.tsx';

interface Props {
  message: PageMessage;
  isOpen: boolean;
}

/** Collapsed to one line unless it is the last of its thread. */
export function Message({ message, isOpen }: Props) {
  const [open, setOpen] = useState(isOpen);
  return (
    <section className="border-b border-line">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-baseline gap-2 px-4 py-2 text-left hover:bg-bg focus-visible:outline-offset-[-2px]"
      >
        <span className="min-w-0 flex-1 truncate">
          <strong>
            <Plain text={nameOf(message.sender)} />
          </strong>
          <span className="text-muted">
            {' → '}
            <Plain text={[...message.to, ...message.cc].map(nameOf).join(', ')} />
          </span>
          {!open && (
            <span className="ml-2 text-muted">
              <Plain text={message.body_preview ?? ''} />
            </span>
          )}
        </span>
        <span className="text-xs text-muted">
          <When utc={message.created_at_utc} />
        </span>
      </button>
      {open && <Opened message={message} />}
    </section>
  );
}

function Opened({ message }: { message: PageMessage }) {
  return (
    <div className="space-y-3 px-4 pb-4">
      <p className="text-xs text-muted">
        <Plain text={message.sender.address} />
        {' to '}
        <Plain text={[...message.to, ...message.cc].map(({ address }) => address).join(', ')} />
      </p>
      <div className="max-w-[75ch] text-sm leading-6">
        <Body text={message.body_text ?? message.body_preview ?? ''} />
      </div>
      {message.body_cut && <p className="text-wait">The body is cut; the command below prints all of it.</p>}
      <Attachments
        mailbox={message.mailbox}
        reference={message.message_ref}
        attachments={message.attachments}
      />
      <Delivered delivered={message.delivered} />
      {message.command && <CommandLine command={message.command} />}
    </div>
  );
}

/** The state of each recipient, as far as it is known here. */
function Delivered({ delivered }: Pick<PageMessage, 'delivered'>) {
  if (delivered.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-1.5">
      {delivered.map(({ address, agent, read, answered }) => (
        <li key={address} className="chip bg-sunken font-normal text-muted">
          {agent ? (
            <Link href={agentPath(agent)} className="font-semibold text-ink hover:underline">
              <Plain text={agent} />
            </Link>
          ) : (
            <Plain text={address} />
          )}
          {answered ? 'answered' : read ? 'read' : read === false ? 'not read yet' : 'delivered'}
        </li>
      ))}
    </ul>
  );
}
