import { useState } from 'react';
import { RECEIPT_STAGES } from '../../domain/tables.ts';
import type { PageMailReceipts, PageMessage } from '../../wire/index.ts';
import { agentPath } from '../model/router.ts';
import { When } from '../parts/age.tsx';
import { CommandLine } from '../parts/command-line.tsx';
import { Link } from '../parts/link.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Body, Plain } from '../parts/plain-text.tsx';
import { Attachments } from './attachments.tsx';
import { nameOf, previewOf } from './names.ts';

interface Props {
  message: PageMessage;
  receipts: PageMailReceipts['messages'][number]['receipts'] | undefined;
  isOpen: boolean;
}

/** Collapsed to one line until it is opened. */
export function Message({ message, receipts, isOpen }: Props) {
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
              <Plain text={previewOf(message)} />
            </span>
          )}
        </span>
        <span className="text-xs text-muted">
          <When utc={message.created_at_utc} />
        </span>
      </button>
      {open && <Opened message={message} receipts={receipts} />}
    </section>
  );
}

function Opened({ message, receipts }: Pick<Props, 'message' | 'receipts'>) {
  const [isRaw, setRaw] = useState(false);
  const text = message.body_text ?? message.body_preview ?? '';
  return (
    <div className="space-y-3 px-4 pb-4">
      <p className="flex flex-wrap gap-x-2 text-xs text-muted">
        <span className="min-w-0">
          <Plain text={message.sender.address} />
          {' to '}
          <Plain text={message.to.map(({ address }) => address).join(', ')} />
          {message.cc.length > 0 && (
            <>
              {', cc '}
              <Plain text={message.cc.map(({ address }) => address).join(', ')} />
            </>
          )}
        </span>
        <button
          type="button"
          className="min-h-6 px-1 underline"
          aria-pressed={isRaw}
          onClick={() => setRaw(!isRaw)}
        >
          {isRaw ? 'Formatted' : 'As written'}
        </button>
      </p>
      <div className="max-w-[75ch] text-sm leading-6">
        {isRaw ? <Body text={text} /> : <Markdown text={text} />}
      </div>
      {message.body_cut && <p className="text-wait">The body is cut; the command below prints all of it.</p>}
      <Attachments
        mailbox={message.mailbox}
        reference={message.message_ref}
        attachments={message.attachments}
      />
      <Receipts people={[...message.to, ...message.cc]} receipts={receipts} />
      {message.command && <CommandLine command={message.command} label="Same on the command line" />}
    </div>
  );
}

/** How far it is with each recipient whose mailbox is on this host, each stage stored by the one who did it. */
function Receipts({ people, receipts }: Pick<Props, 'receipts'> & { people: PageMessage['to'] }) {
  if (!receipts || receipts.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-1.5" aria-label="Receipts">
      {receipts.map(({ address, agent, stage, announced, read, answered, archived }) => (
        <li
          key={address}
          className="chip max-w-full bg-sunken font-normal text-muted"
          title={stagesIn({ announced, read, answered, archived })}
        >
          {agent ? (
            <Link href={agentPath(agent)} className="font-semibold text-ink hover:underline">
              <Plain text={agent} />
            </Link>
          ) : (
            <Plain text={nameOf(people.find((each) => each.address === address) ?? { address })} />
          )}
          {stage === 'stored' || stage === 'announced'
            ? `${RECEIPT_STAGES[stage].words}, not read yet`
            : RECEIPT_STAGES[stage].words}
        </li>
      ))}
    </ul>
  );
}

/** All stages that it reached: a message can be archived and never read. */
const stagesIn = (reached: Record<'announced' | 'read' | 'answered' | 'archived', boolean>): string =>
  [
    'stored',
    ...(['announced', 'read', 'answered', 'archived'] as const).filter((stage) => reached[stage]),
  ].join(' → ');
