import { useQuery } from '@tanstack/react-query';
import { STAGE_STEPS } from '../../domain/tables.ts';
import { ledgerOf } from '../live/queries.ts';
import { withQuery } from '../model/router.ts';
import { At } from '../parts/age.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';

/** The stages of something that was sent, each with its time. Only recorded stages count. */
export function Following({ name, reference }: { name: string; reference: string }) {
  const { data } = useQuery(ledgerOf(name, reference));
  const seen = new Map(data?.stages.map(({ stage, at_utc }) => [stage, at_utc]));
  const ended = data?.trouble || data?.error_detail ? data.outcome : undefined;
  return (
    <div>
      <ol className="flex flex-wrap items-center gap-x-1.5 gap-y-1 text-xs" aria-label="Stages">
        {STAGE_STEPS.map(({ stage, label }, at) => {
          const since = seen.get(stage);
          return (
            <li
              key={stage}
              className="flex items-center gap-1.5"
              data-stage={stage}
              data-seen={since ? 'yes' : 'no'}
            >
              {at > 0 && (
                <span aria-hidden="true" className="text-muted">
                  →
                </span>
              )}
              <span className={`chip h-5 ${since ? 'bg-idle-soft text-idle' : 'bg-sunken text-muted'}`}>
                {since ? '✓' : '·'} {label}
                {since ? (
                  <At utc={since} className="font-normal" />
                ) : (
                  <span className="sr-only">not yet seen</span>
                )}
              </span>
            </li>
          );
        })}
        <li>
          <Link href={withQuery({ ledger: reference })} className="text-accent underline">
            evidence
          </Link>
        </li>
      </ol>
      {(ended ?? data?.waiting_reason ?? data?.error_detail) && (
        <p className={`mt-1 text-xs ${data?.trouble ? 'font-semibold text-need' : 'text-wait'}`}>
          <Plain text={[ended, data?.error_detail ?? data?.waiting_reason].filter(Boolean).join(': ')} />
        </p>
      )}
    </div>
  );
}
