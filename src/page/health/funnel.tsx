import type { PageHealth } from '../../wire/index.ts';
import { Plain } from '../parts/plain-text.tsx';
import type { together } from './durations.ts';

interface Props {
  steps: PageHealth['steps'];
  wakes: ReturnType<typeof together>;
  /** Known for all agents together. */
  mail: PageHealth['mail'] | undefined;
}

/** The steps of all wakes, each with how many were lost after it and why. */
export function Funnel({ steps, wakes, mail }: Props) {
  const counts = steps.map(({ step }) => wakes.steps[step] ?? 0);
  const max = Math.max(1, ...counts);
  const reasons = Object.entries(wakes.losses)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${reason.replaceAll('_', ' ')}`)
    .join(', ');
  return (
    <section aria-labelledby="funnel" className="card p-4">
      <h2 id="funnel" className="heading mb-2">
        Wakes, step by step
      </h2>
      <ol className="space-y-1">
        {steps.map(({ step, words, lost }, at) => {
          const gone = at === steps.length - 1 ? 0 : counts[at]! - counts[at + 1]!;
          const why = step === 'accepted' && reasons !== '' ? `${lost}: ${reasons}` : lost;
          return (
            <Step key={step} words={words} count={counts[at]!} share={counts[at]! / max}>
              {gone > 0 && `${gone} ${why}`}
            </Step>
          );
        })}
        {mail && mail.announced > 0 && (
          <Step words="Mail handled" count={mail.handled} share={mail.handled / mail.announced} isOther>
            of {mail.announced} announced {mail.announced === 1 ? 'mail' : 'mails'}
          </Step>
        )}
      </ol>
    </section>
  );
}

interface StepProps {
  words: string;
  count: number;
  share: number;
  /** It counts mail, not wakes. */
  isOther?: boolean;
  children: React.ReactNode;
}

function Step({ words, count, share, isOther = false, children }: StepProps) {
  return (
    <li className="grid grid-cols-[6.5rem_3.5rem_minmax(0,1fr)] items-center gap-x-2 md:grid-cols-[6.5rem_3.5rem_minmax(0,2fr)_minmax(0,1fr)]">
      <span className="font-medium">{words}</span>
      <span className="digits text-right">{count}</span>
      <svg width="100%" height="16" aria-hidden="true" className={isOther ? 'text-idle' : 'text-work'}>
        <rect width={`${Math.max(0, Math.min(1, share)) * 100}%`} height="16" rx="3" fill="currentColor" />
      </svg>
      <span className="text-xs text-muted max-md:col-span-3">
        {typeof children === 'string' ? <Plain text={children} /> : children}
      </span>
    </li>
  );
}
