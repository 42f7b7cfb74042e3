import { useState } from 'react';
import type { PageMailSent, PageMessage } from '../../wire/index.ts';
import { useSession } from '../frame/session-context.ts';
import { useLive } from '../live/live.ts';
import { type Draft, NO_DRAFT, useDraft } from '../model/drafts.ts';
import { useAction } from '../parts/action.ts';
import { Overlay } from '../parts/overlay.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { SendButton } from '../parts/send-button.tsx';
import { SendForm } from '../parts/send-form.tsx';
import { AddFiles, type NewFile } from './add-files.tsx';

interface Props {
  /** A message that is sent on; undefined: a new one. */
  forwarded?: PageMessage | undefined;
  onClose: () => void;
}

const peopleIn = (text: string): string[] => text.split(/[,;\s]+/).filter(Boolean);

/** Mail from the operator to agents or addresses. What is typed is kept until it is sent or discarded. */
export function Compose({ forwarded, onClose }: Props) {
  const { name } = useSession();
  const key = forwarded ? `forward ${forwarded.message_ref}` : 'new';
  const { draft, change, clear } = useDraft(name, key, forwarded ? forwardOf(forwarded) : NO_DRAFT);
  const [files, setFiles] = useState<NewFile[]>([]);
  const { sending, run } = useAction<PageMailSent>();
  const send = async () => {
    const sent = await run('mail/send', {
      to: peopleIn(draft.to),
      cc: peopleIn(draft.cc),
      subject: draft.subject,
      body: draft.text,
      attachments: files,
      ...(forwarded && { forward: { mailbox: forwarded.mailbox, ref: forwarded.message_ref } }),
    });
    if (!sent) return;
    clear();
    onClose();
  };
  const copies = forwarded?.attachments.filter(({ kind }) => kind === 'managed_copy') ?? [];
  return (
    <Overlay title={forwarded ? 'Forward' : 'New message'} onClose={onClose}>
      <SendForm
        label={forwarded ? 'Forward' : 'New message'}
        sending={sending}
        send={send}
        className="space-y-2 p-4"
      >
        <Fields draft={draft} change={change} />
        {copies.length > 0 && (
          <p className="text-xs text-muted">
            With <Plain text={copies.map(({ label, attachment_id }) => label ?? attachment_id).join(', ')} />
          </p>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <AddFiles files={files} set={setFiles} />
          <button
            type="button"
            className="btn btn-bare text-muted"
            onClick={() => {
              clear();
              onClose();
            }}
          >
            Discard
          </button>
          <SendButton sending={sending} label="Send" />
        </div>
      </SendForm>
    </Overlay>
  );
}

function Fields({ draft, change }: { draft: Draft; change: (part: Partial<Draft>) => void }) {
  const agents = useLive(({ picture }) => picture?.agents);
  return (
    <>
      <input
        className="field"
        data-first
        required
        list="agents-to-write-to"
        value={draft.to}
        onChange={({ target }) => change({ to: target.value })}
        placeholder="To: names or addresses"
        aria-label="To"
      />
      <datalist id="agents-to-write-to">
        {[...(agents?.values() ?? [])].map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
      <input
        className="field"
        list="agents-to-write-to"
        value={draft.cc}
        onChange={({ target }) => change({ cc: target.value })}
        placeholder="Cc (optional)"
        aria-label="Cc"
      />
      <input
        className="field"
        required
        maxLength={900}
        value={draft.subject}
        onChange={({ target }) => change({ subject: target.value })}
        placeholder="Subject"
        aria-label="Subject"
      />
      <textarea
        className="field min-h-40 resize-y"
        required
        rows={8}
        value={draft.text}
        onChange={({ target }) => change({ text: target.value })}
        placeholder="Message, in Markdown if you like"
        aria-label="Message"
      />
    </>
  );
}

/** As much of the body as a person would read again; the rest is in the original. */
const MAX_QUOTED = 20_000;

function forwardOf({ subject, sender, to, cc, created_at_utc, body_text }: PageMessage): Draft {
  const quoted = (body_text ?? '').slice(0, MAX_QUOTED);
  const head = [
    '---------- Forwarded message ----------',
    `From: ${sender.address}`,
    `To: ${to.map(({ address }) => address).join(', ')}`,
    ...(cc.length > 0 ? [`Cc: ${cc.map(({ address }) => address).join(', ')}`] : []),
    `Date: ${created_at_utc}`,
    `Subject: ${subject}`,
  ];
  const title = /^fwd?:/i.test(subject) ? subject : `Fwd: ${subject}`;
  return { ...NO_DRAFT, subject: title.slice(0, 900), text: `\n\n${head.join('\n')}\n\n${quoted}` };
}
