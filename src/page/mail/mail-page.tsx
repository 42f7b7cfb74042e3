import { useState } from 'react';
import { useMay } from '../frame/session-context.ts';
import { usePlace } from '../model/router.ts';
import { Quiet } from '../parts/feedback.tsx';
import { Icon } from '../parts/icons.tsx';
import { Boxes } from './boxes.tsx';
import { MailList } from './mail-list.tsx';
import { NewMessage } from './new-message.tsx';
import { Thread } from './thread.tsx';

/** A mail client for every mailbox of the host, in one to three panes. */
export default function MailPage() {
  const { query } = usePlace();
  const [isWriting, setWriting] = useState(false);
  const may = useMay('write');
  const ref = query.get('ref') ?? undefined;
  const at = query.get('at') ?? query.get('mailbox') ?? undefined;
  const isOpen = ref !== undefined && at !== undefined;
  return (
    <div className="mail-panes">
      <h1 className="sr-only">Mail</h1>
      <aside aria-label="Mailboxes" className="mail-boxes">
        {may && (
          <div className="p-3">
            <button
              type="button"
              data-key="c"
              className="btn btn-main w-full"
              onClick={() => setWriting(true)}
            >
              <Icon name="pen" size={15} />
              New message
            </button>
          </div>
        )}
        <Boxes />
      </aside>
      <section aria-label="Messages" className={`mail-list ${isOpen ? 'mail-behind' : ''}`}>
        <MailList openRef={ref} onWrite={may ? () => setWriting(true) : undefined} />
      </section>
      <section aria-label="Thread" className={`mail-thread ${isOpen ? '' : 'mail-behind'}`}>
        {isOpen ? (
          <Thread key={ref} mailbox={at} reference={ref} />
        ) : (
          <Quiet>Choose a message to read it.</Quiet>
        )}
      </section>
      {isWriting && <NewMessage onClose={() => setWriting(false)} />}
    </div>
  );
}
