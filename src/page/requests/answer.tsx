import { useState } from 'react';
import { TICKET_STATUSES } from '../../domain/tables.ts';
import type { PageReceipt, PageRequestRow } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { queryClient } from '../live/query-client.ts';
import { useAction } from '../parts/action.ts';
import { Sent } from '../parts/feedback.tsx';

interface Props {
  request: PageRequestRow;
  /** For a card: without a note, so without asking back. */
  isShort?: boolean;
  /** The keys `a` and `x` press its buttons. Only where one request is open. */
  hasKeys?: boolean;
  /** Receives the receipt's sentence, for a place that goes away with the request. */
  onDone?: (sentence: string) => void;
}

/** A request is answered once. A second answer is refused and names the first. */
export function Answer({ request, isShort = false, hasKeys = false, onDone }: Props) {
  const [note, setNote] = useState('');
  const { sending, run } = useAction<PageReceipt>();
  const may = useMay('answer');
  const isOver = sending.state === 'sending' || sending.state === 'done';
  const send = async (what: 'respond' | 'message', body: object) => {
    const receipt = await run(`requests/${encodeURIComponent(request.id)}/${what}`, body);
    void queryClient.invalidateQueries({ queryKey: ['requests'] });
    if (receipt) onDone?.(receipt.sentence);
  };
  const give = (action: string) => send('respond', { action, note: note.trim() || null });
  return (
    <div className="mt-2 space-y-2">
      {!isShort && (
        <textarea
          className="field"
          rows={3}
          value={note}
          onChange={({ target }) => setNote(target.value)}
          placeholder="Add a note (optional), or ask back"
          aria-label="Note"
        />
      )}
      <div className="flex flex-wrap gap-2">
        {request.answers.map((answer) => (
          <button
            key={answer}
            type="button"
            className={`btn ${TICKET_STATUSES[answer].agrees ? 'btn-main' : ''}`}
            data-key={hasKeys ? (TICKET_STATUSES[answer].agrees ? 'a' : 'x') : undefined}
            disabled={!may || isOver}
            onClick={() => void give(answer)}
          >
            {TICKET_STATUSES[answer].button}
          </button>
        ))}
        {!isShort && (
          <button
            type="button"
            className="btn"
            disabled={!may || isOver || note.trim() === ''}
            onClick={() => void send('message', { body: note.trim() })}
          >
            Ask back
          </button>
        )}
      </div>
      <Sent sending={sending} />
    </div>
  );
}
