import { useStore } from '../model/store.ts';
import { Overlay } from '../parts/overlay.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { actNow, confirming } from './acting.ts';
import { deedOf } from './deeds.ts';
import { useRows } from './use-rows.ts';

/** Names what will happen to whom. Nothing has been done yet, and closing it does nothing. */
export default function ConfirmDeed() {
  const asked = useStore(confirming);
  const rows = useRows(asked?.ids ?? []);
  if (!asked) return null;
  const { label, before } = deedOf(asked.deed);
  const word = label.replace(/ …$/, '');
  const whom = rows.length === 1 ? rows[0]!.name : `${rows.length} agents`;
  const close = () => confirming.set(undefined);
  return (
    <Overlay title={<Plain text={`${word} ${whom}?`} />} onClose={close}>
      <ul className="divide-y divide-line px-4">
        {rows.map((row) => (
          <li key={row.id} className="py-2">
            <div className="flex flex-wrap items-center gap-x-3">
              <strong>
                <Plain text={row.name} />
              </strong>
              <StateMark state={row.state} words={row.state_words} />
            </div>
            <p className="text-muted">{before(row)}</p>
          </li>
        ))}
      </ul>
      <p className="border-t border-line px-4 py-2 text-muted">
        Mail, queue, reminders and files are kept. Each outcome is recorded with your name.
      </p>
      <div className="flex justify-end gap-2 border-t border-line px-4 py-3">
        <button type="button" className="btn" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          className="btn border-need bg-need-soft text-need"
          disabled={rows.length === 0}
          onClick={() => {
            close();
            void actNow(asked.deed, rows);
          }}
        >
          <Plain text={`${word} ${whom}`} />
        </button>
      </div>
    </Overlay>
  );
}
