import { When } from '../parts/age.tsx';

/** As the gateway computed them. */
export function NextTimes({ times }: { times: readonly string[] }) {
  if (times.length === 0) return null;
  return (
    <p className="text-xs text-muted">
      next:{' '}
      {times.slice(0, 3).map((utc, at) => (
        <span key={utc}>
          {at > 0 && ', '}
          <When utc={utc} />
        </span>
      ))}
    </p>
  );
}
