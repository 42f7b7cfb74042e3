import { useQuery } from '@tanstack/react-query';
import { dayBetween } from '../live/queries.ts';
import { Age } from '../parts/age.tsx';
import { Sent } from '../parts/feedback.tsx';
import { Link } from '../parts/link.tsx';
import { SECTIONS } from './sections.ts';
import { useAway } from './visit.ts';

/** On home, after an hour away: what happened, in numbers that open it. */
export default function SinceCard() {
  const { since, lookedAt, sending } = useAway();
  const asked = useQuery({ ...dayBetween(since ?? '', undefined), enabled: since !== undefined });
  const { data } = asked;
  if (since === undefined || !data) return null;
  const shown = SECTIONS.filter(({ section }) => data.counts[section] > 0);
  const address = `/ui/day?${new URLSearchParams({ from: since }).toString()}`;
  return (
    <section aria-labelledby="since" className="card flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2">
      <h2 id="since" className="heading">
        Since you were here, <Age utc={since} /> ago
      </h2>
      <p className="flex flex-wrap gap-1.5">
        {shown.length === 0 && <span className="text-muted">Nothing happened.</span>}
        {shown.map(({ section, label, colour }) => (
          <Link key={section} href={`${address}#${section}`} className={`chip hover:underline ${colour}`}>
            <span className="digits font-bold">{data.counts[section]}</span> {label.toLowerCase()}
          </Link>
        ))}
      </p>
      <span className="ml-auto flex gap-2">
        {shown.length > 0 && (
          <Link href={address} className="btn">
            Open
          </Link>
        )}
        <button
          type="button"
          className="btn btn-bare"
          disabled={sending.state === 'sending'}
          onClick={lookedAt}
        >
          Mark all looked at
        </button>
      </span>
      {sending.state === 'failed' && <Sent sending={sending} />}
    </section>
  );
}
