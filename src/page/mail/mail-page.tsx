import { useMay } from '../frame/session-context.ts';
import { goTo, usePlace, withQuery } from '../model/router.ts';
import { Quiet } from '../parts/feedback.tsx';
import { Icon } from '../parts/icons.tsx';
import { Boxes } from './boxes.tsx';
import { Compose } from './compose.tsx';
import { ConversationList } from './conversation-list.tsx';
import { Thread } from './thread.tsx';
import { UndoSorting } from './undo-sorting.tsx';

/** A mail client for every mailbox of the host, in one to three panes. */
export default function MailPage() {
  const { query } = usePlace();
  const isWriting = query.has('write');
  const write = () => goTo(withQuery({ write: 'new' }));
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
            <button type="button" data-key="c" className="btn btn-main w-full" onClick={write}>
              <Icon name="pen" size={15} />
              New message
            </button>
          </div>
        )}
        <Boxes />
      </aside>
      <section aria-label="Conversations" className={`mail-list ${isOpen ? 'mail-behind' : ''}`}>
        <ConversationList openRef={ref} onWrite={may ? write : undefined} />
      </section>
      <section aria-label="Thread" className={`mail-thread ${isOpen ? '' : 'mail-behind'}`}>
        {isOpen ? (
          <Thread key={`${at} ${ref}`} mailbox={at} reference={ref} />
        ) : (
          <Quiet>Choose a conversation to read it.</Quiet>
        )}
      </section>
      {isWriting && may && <Compose onClose={() => goTo(withQuery({ write: undefined }))} />}
      <UndoSorting />
    </div>
  );
}
