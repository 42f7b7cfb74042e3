import { type FormEvent, useState } from 'react';
import type { PageMailSent } from '../../wire/index.ts';
import { useLive } from '../live/live.ts';
import { useAction } from '../parts/action.ts';
import { Trouble } from '../parts/feedback.tsx';
import { Overlay } from '../parts/overlay.tsx';
import { SendButton } from '../parts/send-button.tsx';
import { AddFiles, type NewFile } from './add-files.tsx';

/** Mail from the operator to agents or addresses. */
export function NewMessage({ onClose }: { onClose: () => void }) {
  const [files, setFiles] = useState<NewFile[]>([]);
  const { sending, run } = useAction<PageMailSent>();
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const word = (name: string) => String(form.get(name) ?? '');
    const to = word('to')
      .split(/[,;\s]+/)
      .filter(Boolean);
    const sent = await run('mail/send', {
      to,
      subject: word('subject'),
      body: word('body'),
      attachments: files,
    });
    if (sent) onClose();
  };
  return (
    <Overlay title="New message" onClose={onClose}>
      <form onSubmit={(event) => void send(event)} className="space-y-2 p-4">
        <Fields />
        <div className="flex flex-wrap items-center gap-2">
          <AddFiles files={files} set={setFiles} />
          <SendButton sending={sending} label="Send" />
        </div>
        {sending.state === 'failed' && <Trouble error={sending.error} />}
      </form>
    </Overlay>
  );
}

function Fields() {
  const agents = useLive(({ picture }) => picture?.agents);
  return (
    <>
      <input
        className="field"
        name="to"
        required
        list="agents-to-write-to"
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
        name="subject"
        required
        maxLength={900}
        placeholder="Subject"
        aria-label="Subject"
      />
      <textarea
        className="field min-h-40 resize-y"
        name="body"
        required
        rows={8}
        placeholder="Message"
        aria-label="Message"
      />
    </>
  );
}
