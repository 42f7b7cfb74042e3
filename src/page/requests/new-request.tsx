import { useState } from 'react';
import { TICKET_KINDS } from '../../domain/tables.ts';
import type { PageReceipt } from '../../wire/index.ts';
import { useSession } from '../frame/session-context.ts';
import { useLive } from '../live/live.ts';
import { queryClient } from '../live/query-client.ts';
import { type Draft, useDraft } from '../model/drafts.ts';
import { useAction } from '../parts/action.ts';
import { Overlay } from '../parts/overlay.tsx';
import { SendButton } from '../parts/send-button.tsx';
import { SendForm } from '../parts/send-form.tsx';

type Kind = keyof typeof TICKET_KINDS;

/** Asks an agent or a person. What is typed is kept until it is sent or discarded. */
export function NewRequest({ onClose }: { onClose: () => void }) {
  const { draft, change, clear } = useDraft(useSession().name, 'request');
  const [isPerson, setPerson] = useState(false);
  const [kind, setKind] = useState<Kind>('task');
  const [priority, setPriority] = useState('');
  const { sending, run } = useAction<PageReceipt>();
  const send = async () => {
    const sent = await run('requests', {
      kind,
      recipient_type: isPerson ? 'user' : 'agent',
      recipient_id: draft.to.trim(),
      title: draft.subject.trim(),
      detail: draft.text.trim() || null,
      priority: priority === '' ? null : Number(priority),
    });
    if (!sent) return;
    clear();
    void queryClient.invalidateQueries({ queryKey: ['requests'] });
    onClose();
  };
  return (
    <Overlay title="New request" onClose={onClose}>
      <SendForm label="New request" sending={sending} send={send} className="space-y-2 p-4">
        <div className="flex flex-wrap gap-2">
          <select
            className="field w-auto"
            aria-label="Who is asked"
            value={isPerson ? 'user' : 'agent'}
            onChange={({ target }) => setPerson(target.value === 'user')}
          >
            <option value="agent">An agent</option>
            <option value="user">People</option>
          </select>
          <To isPerson={isPerson} draft={draft} change={change} />
        </div>
        <KindAndPriority kind={kind} setKind={setKind} priority={priority} setPriority={setPriority} />
        <input
          className="field"
          required
          maxLength={200}
          value={draft.subject}
          onChange={({ target }) => change({ subject: target.value })}
          placeholder="What is asked, in one line"
          aria-label="Title"
        />
        <textarea
          className="field min-h-24 resize-y"
          rows={4}
          maxLength={20_000}
          value={draft.text}
          onChange={({ target }) => change({ text: target.value })}
          placeholder="Details, in Markdown if you like (optional)"
          aria-label="Details"
        />
        <div className="flex items-center gap-2">
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
          <SendButton sending={sending} label="Ask" />
        </div>
      </SendForm>
    </Overlay>
  );
}

interface KindProps {
  kind: Kind;
  setKind: (kind: Kind) => void;
  priority: string;
  setPriority: (priority: string) => void;
}

function KindAndPriority({ kind, setKind, priority, setPriority }: KindProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <select
        className="field w-auto flex-1"
        aria-label="Kind"
        value={kind}
        onChange={({ target }) => setKind(target.value as Kind)}
      >
        {Object.entries(TICKET_KINDS).map(([each, { words, means }]) => (
          <option key={each} value={each}>
            {words}: {means}
          </option>
        ))}
      </select>
      <input
        className="field w-32"
        type="number"
        min="0"
        max="100"
        value={priority}
        onChange={({ target }) => setPriority(target.value)}
        placeholder="Priority"
        aria-label="Priority, 0 to 100, the highest is most urgent"
      />
    </div>
  );
}

interface ToProps {
  isPerson: boolean;
  draft: Draft;
  change: (part: Partial<Draft>) => void;
}

function To({ isPerson, draft, change }: ToProps) {
  const agents = useLive(({ picture }) => picture?.agents);
  return (
    <>
      <input
        className="field w-auto flex-1"
        data-first
        required={!isPerson}
        list={isPerson ? undefined : 'agents-to-ask'}
        maxLength={200}
        value={draft.to}
        onChange={({ target }) => change({ to: target.value })}
        placeholder={isPerson ? 'Name; empty: anyone' : 'Name of the agent'}
        aria-label="To"
      />
      <datalist id="agents-to-ask">
        {[...(agents?.values() ?? [])].map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
    </>
  );
}
