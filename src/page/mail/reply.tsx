import { type FormEvent, useState } from 'react';
import type { PageMailSent } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { useAction } from '../parts/action.ts';
import { Sent } from '../parts/sent.tsx';
import { AddFiles, type NewFile } from './add-files.tsx';

/** An answer in the thread, as the operator. */
export function Reply({ mailbox, reference }: { mailbox: string; reference: string }) {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<NewFile[]>([]);
  const { sending, run } = useAction<PageMailSent>();
  if (!useMay('answer')) return null;
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    if (!(await run('mail/reply', { mailbox, ref: reference, body: text, attachments: files }))) return;
    setText('');
    setFiles([]);
  };
  return (
    <form
      onSubmit={(event) => void send(event)}
      className="space-y-2 border-t border-line p-3"
      aria-label="Reply"
    >
      <textarea
        data-key="r"
        className="field min-h-16 resize-y"
        rows={2}
        value={text}
        onChange={({ target }) => setText(target.value)}
        placeholder="Reply as the operator"
        aria-label="Reply"
      />
      <div className="flex flex-wrap items-center gap-2">
        <AddFiles files={files} set={setFiles} />
        <button
          type="submit"
          className="btn btn-main ml-auto"
          disabled={text.trim() === '' || sending.state === 'sending'}
        >
          {sending.state === 'sending' ? 'Sending …' : 'Reply'}
        </button>
      </div>
      <Sent sending={sending} />
    </form>
  );
}
