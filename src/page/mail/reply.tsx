import { useState } from 'react';
import type { PageMailSent } from '../../wire/index.ts';
import { useMay, useSession } from '../frame/session-context.ts';
import { useDraft } from '../model/drafts.ts';
import { useAction } from '../parts/action.ts';
import { SendButton } from '../parts/send-button.tsx';
import { SendForm } from '../parts/send-form.tsx';
import { AddFiles, type NewFile } from './add-files.tsx';

interface Props {
  mailbox: string;
  thread: string;
  /** The message that is answered. */
  reference: string;
}

/** A reply in the thread, as the operator. Its draft belongs to the thread. */
export function Reply({ mailbox, thread, reference }: Props) {
  const { draft, change, clear } = useDraft(useSession().name, `reply ${thread}`);
  const [files, setFiles] = useState<NewFile[]>([]);
  const { sending, run } = useAction<PageMailSent>();
  if (!useMay('write')) return null;
  const { text } = draft;
  const send = async () => {
    if (text.trim() === '') return;
    if (!(await run('mail/reply', { mailbox, ref: reference, body: text, attachments: files }))) return;
    clear();
    setFiles([]);
  };
  return (
    <SendForm label="Reply" className="space-y-2 border-t border-line p-3" sending={sending} send={send}>
      <textarea
        data-key="r"
        className="field min-h-16 resize-y"
        rows={2}
        value={text}
        onChange={({ target }) => change({ text: target.value })}
        placeholder="Reply as the operator"
        aria-label="Reply"
      />
      <div className="flex flex-wrap items-center gap-2">
        <AddFiles files={files} set={setFiles} />
        {text !== '' && <span className="text-xs text-muted">Draft kept · Ctrl+Enter sends</span>}
        <SendButton sending={sending} label="Reply" isOff={text.trim() === ''} />
      </div>
    </SendForm>
  );
}
