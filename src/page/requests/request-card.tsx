import type { PageRequestRow } from '../../wire/index.ts';
import { fromTo, statusWords } from '../model/request-words.ts';
import { withQuery } from '../model/router.ts';
import { Age } from '../parts/age.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { Answer } from './answer.tsx';

/** Title, sender and recipient, age, reminders sent, and the possible answers. */
export function RequestCard({ request, isGone }: { request: PageRequestRow; isGone: boolean }) {
  const { title, detail, created_at, nudges, overdue, answers, kind } = request;
  return (
    <li
      className={`card p-3 [content-visibility:auto] [contain-intrinsic-height:6rem] ${isGone ? 'opacity-50' : ''}`}
    >
      <p className="flex items-baseline gap-2 text-xs text-muted">
        <span className="min-w-0 flex-1 truncate">
          <Plain text={fromTo(request)} />
        </span>
        <Age utc={created_at} />
      </p>
      <Link
        data-row
        href={withQuery({ id: request.id })}
        className="mt-0.5 line-clamp-3 font-semibold hover:underline"
      >
        <Plain text={title} />
      </Link>
      {detail && (
        <p className="mt-0.5 line-clamp-2 text-muted">
          <Plain text={detail} />
        </p>
      )}
      <p className="mt-1 flex flex-wrap gap-1.5 text-xs text-muted">
        <span>{kind}</span>
        {nudges > 0 && <span>· reminded {nudges}×</span>}
        {overdue && <span className="font-semibold text-need">· overdue</span>}
        {answers.length === 0 && <span>· {statusWords(request)}</span>}
      </p>
      {answers.length > 0 && !isGone && <Answer request={request} isShort />}
    </li>
  );
}
