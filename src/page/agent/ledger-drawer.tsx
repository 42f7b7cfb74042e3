import { useQuery } from '@tanstack/react-query';
import { REQUEST_STAGES } from '../../domain/tables.ts';
import type { PageLedger } from '../../wire/index.ts';
import { ledgerOf } from '../live/queries.ts';
import { goTo, useQueryWord, withQuery } from '../model/router.ts';
import { At } from '../parts/age.tsx';
import { CommandLine } from '../parts/command-line.tsx';
import { NotLoaded } from '../parts/feedback.tsx';
import { Overlay } from '../parts/overlay.tsx';
import { Body, Plain } from '../parts/plain-text.tsx';

/** The evidence of one item, beside its list. It has its own address. */
export function LedgerDrawer({ name }: { name: string }) {
  const ref = useQueryWord('ledger');
  if (!ref) return null;
  return (
    <Overlay side title="Details" onClose={() => goTo(withQuery({ ledger: undefined }))}>
      <Ledger name={name} reference={ref} />
    </Overlay>
  );
}

function Ledger({ name, reference }: { name: string; reference: string }) {
  const asked = useQuery(ledgerOf(name, reference));
  const { data } = asked;
  if (!data) return <NotLoaded asked={asked} what="the ledger" isBare />;
  return (
    <div className="space-y-4 p-4">
      <div>
        <h2 className="text-base font-semibold">
          <Plain text={data.title} />
        </h2>
        <p className="text-muted">
          <Plain text={[data.kind, data.state, data.outcome, data.source].filter(Boolean).join(' · ')} />
        </p>
      </div>
      {data.waiting_reason && <Note label="Waiting" text={data.waiting_reason} />}
      {data.error_detail && <Note label="Trouble" text={data.error_detail} />}
      <Stages stages={data.stages} />
      {data.decision && <Decision decision={data.decision} />}
      {data.text && (
        <details open={data.text.length < 2000}>
          <summary className="heading">Accepted text</summary>
          <div className="mt-1 max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs">
            <Body text={data.text} />
          </div>
        </details>
      )}
      {data.command && <CommandLine command={data.command} label="Same on the command line" />}
    </div>
  );
}

function Note({ label, text }: { label: string; text: string }) {
  return (
    <p className="rounded-md bg-wait-soft px-3 py-2 text-wait">
      <strong>{label}:</strong> <Plain text={text} />
    </p>
  );
}

function Stages({ stages }: Pick<PageLedger, 'stages'>) {
  if (stages.length === 0) return null;
  return (
    <section>
      <h3 className="heading mb-1">Steps</h3>
      <ol className="border-l-2 border-line">
        {stages.map((stage, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a ledger only grows
          <li key={at} className="relative pb-3 pl-4 last:pb-0">
            <span className="absolute top-1.5 -left-[5px] size-2 rounded-full bg-accent" />
            <p className="flex items-baseline justify-between gap-3">
              <span className="font-semibold">{REQUEST_STAGES[stage.stage].words}</span>
              <span className="text-xs text-muted">
                <Plain text={stage.source} />, <At utc={stage.at_utc} />
              </span>
            </p>
            <Facts facts={stage.facts} />
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Facts({ facts }: { facts: Record<string, unknown> }) {
  const rows = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
  if (rows.length === 0) return null;
  return (
    <dl className="mt-0.5 grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-3 text-xs">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">
            <Plain text={name.replaceAll('_', ' ')} />
          </dt>
          <dd className="min-w-0 font-mono whitespace-pre-wrap">
            <Plain text={typeof value === 'string' ? value : JSON.stringify(value)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Decision({ decision }: { decision: NonNullable<PageLedger['decision']> }) {
  return (
    <section>
      <h3 className="heading mb-1">
        Decided <At utc={decision.at_utc} />: <Plain text={decision.outcome} />
      </h3>
      {decision.detail && (
        <p>
          <Plain text={decision.detail} />
        </p>
      )}
      <ol className="list-decimal pl-5 text-muted">
        {decision.chain.map((reason, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a chain never changes
          <li key={at}>
            <Plain text={reason} />
          </li>
        ))}
      </ol>
      {decision.facts && <Facts facts={decision.facts} />}
    </section>
  );
}
