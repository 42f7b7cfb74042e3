import { useState } from 'react';
import { TICKET_STATUSES } from '../../domain/tables.ts';
import type { PageReceipt, PageRequestRow } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { queryClient } from '../live/query-client.ts';
import { useAction } from '../parts/action.ts';
import { Sent } from '../parts/feedback.tsx';

interface Props {
  request: PageRequestRow;
  /** For a card: without a note. */
  isShort?: boolean;
}

/** A request is answered once. A second answer is refused and names the first. */
export function Answer({ request, isShort = false }: Props) {
  const [note, setNote] = useState('');
  const { sending, run } = useAction<PageReceipt>();
  const may = useMay('answer');
  const isOver = sending.state === 'sending' || sending.state === 'done';
  const give = async (action: string) => {
    const body = { action, note: note.trim() || null };
    await run(`requests/${encodeURIComponent(request.id)}/respond`, body);
    void queryClient.invalidateQueries({ queryKey: ['requests'] });
  };
  return (
    <div className="mt-2 space-y-2">
      {!isShort && (
        <textarea
          className="field"
          rows={3}
          value={note}
          onChange={({ target }) => setNote(target.value)}
          placeholder="Add a note (optional)"
          aria-label="Note"
        />
      )}
      <div className="flex flex-wrap gap-2">
        {request.answers.map((answer) => (
          <button
            key={answer}
            type="button"
            className={`btn ${TICKET_STATUSES[answer].agrees ? 'btn-main' : ''}`}
            disabled={!may || isOver}
            onClick={() => void give(answer)}
          >
            {TICKET_STATUSES[answer].button}
          </button>
        ))}
      </div>
      <Sent sending={sending} />
    </div>
  );
}
