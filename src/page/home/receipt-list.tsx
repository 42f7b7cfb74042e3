import { useStore } from '../model/store.ts';
import { When } from '../parts/age.tsx';
import { Icon } from '../parts/icons.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { dismissReceipt, receipts } from './receipts.ts';

export function Receipts() {
  const kept = useStore(receipts);
  return (
    <ul aria-label="What you settled" aria-live="polite">
      {kept.map(({ key, sentence, at_utc }) => (
        <li
          key={key}
          className="flex items-center gap-2 border-t border-line bg-idle-soft px-4 py-1.5 text-idle"
        >
          <Icon name="check" size={15} />
          <span className="min-w-0 flex-1">
            <Plain text={sentence} />
          </span>
          <span className="text-xs">
            <When utc={at_utc} />
          </span>
          <button
            type="button"
            className="btn btn-bare px-1.5"
            aria-label={`Dismiss: ${sentence}`}
            onClick={() => dismissReceipt(key)}
          >
            <Icon name="close" size={14} />
          </button>
        </li>
      ))}
    </ul>
  );
}
