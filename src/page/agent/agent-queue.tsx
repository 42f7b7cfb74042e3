import { REQUEST_OUTCOMES } from '../../domain/tables.ts';
import type { PageQueue, PageReceipt } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { agentAt } from '../live/queries.ts';
import { lengthInWords } from '../model/clock.ts';
import { withQuery } from '../model/router.ts';
import { useAction } from '../parts/action.ts';
import { Age } from '../parts/age.tsx';
import { Loading, Quiet, Trouble } from '../parts/feedback.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';

interface Props {
  name: string;
  queue: PageQueue | null;
  isComplete: boolean;
}

/** Requests that wait for the agent, then those that ended, each with how long it waited and worked. */
export function AgentQueue({ name, queue, isComplete }: Props) {
  if (!queue) return isComplete ? <Quiet>The queue cannot be read now.</Quiet> : <Loading what="the queue" />;
  if (queue.items.length === 0) return <Quiet>Nothing is queued.</Quiet>;
  const counts = Object.entries(queue.counts).filter(([, count]) => count > 0);
  return (
    <>
      <p className="border-b border-line px-4 py-2 text-muted">
        <Plain text={counts.map(([state, count]) => `${state.replaceAll('_', ' ')} ${count}`).join(' · ')} />
      </p>
      <ul>
        {queue.items.map((item) => (
          <QueueRow key={item.request_id} name={name} item={item} />
        ))}
      </ul>
    </>
  );
}

type QueueItem = PageQueue['items'][number];

const KINDS: Readonly<Record<string, string>> = {
  submit_prompt: 'prompt',
  mail_notifier_prompt: 'wake for mail',
};

const kindWords = ({ kind, source }: QueueItem): string =>
  (KINDS[kind] ?? kind.replaceAll('_', ' ')) +
  (source === 'http' || source === 'notifier' ? '' : ` from ${source}`);

function QueueRow({ name, item }: { name: string; item: QueueItem }) {
  const { sending, run } = useAction<PageReceipt>();
  const may = useMay('operate');
  const trouble = item.outcome !== null && REQUEST_OUTCOMES[item.outcome].trouble;
  return (
    <li className="border-b border-line px-4 py-2 last:border-b-0">
      <div className="flex items-baseline gap-3">
        <Link data-row href={withQuery({ ledger: item.ref })} className="min-w-0 flex-1 hover:underline">
          <Plain text={item.title} />
        </Link>
        <span className={`text-xs whitespace-nowrap ${trouble ? 'font-semibold text-need' : 'text-muted'}`}>
          {(item.outcome ?? item.state).replaceAll('_', ' ')}
        </span>
        <Age utc={item.accepted_at_utc} className="text-xs text-muted" />
      </div>
      <p className="flex flex-wrap items-center gap-x-3 text-xs text-muted">
        <span>
          <Plain text={kindWords(item)} />
        </span>
        <Spans item={item} />
        {(item.waiting_reason ?? item.error_detail) && (
          <span className="text-wait">
            <Plain text={item.waiting_reason ?? item.error_detail ?? ''} />
          </span>
        )}
        {item.cancellable && may && (
          <button
            type="button"
            className="btn min-h-6 px-2 text-xs"
            disabled={sending.state === 'sending'}
            onClick={() => void run(`${agentAt(name)}/queue/${encodeURIComponent(item.request_id)}/cancel`)}
          >
            Cancel
          </button>
        )}
      </p>
      {sending.state === 'failed' && <Trouble error={sending.error} />}
    </li>
  );
}

function Spans({ item }: { item: QueueItem }) {
  if (!item.started_at_utc) return null;
  const waited = Date.parse(item.started_at_utc) - Date.parse(item.accepted_at_utc);
  const worked = item.finished_at_utc
    ? Date.parse(item.finished_at_utc) - Date.parse(item.started_at_utc)
    : undefined;
  return (
    <span>
      waited {lengthInWords(waited)}
      {worked !== undefined && `, took ${lengthInWords(worked)}`}
    </span>
  );
}
