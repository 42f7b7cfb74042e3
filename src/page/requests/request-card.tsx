import type { PageRequestRow } from '../../wire/index.ts';
import { answeredBy, fromTo, statusWords } from '../model/request-words.ts';
import { withQuery } from '../model/router.ts';
import { Age, When } from '../parts/age.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { Answer } from './answer.tsx';

/** Title, sender and recipient, age, reminders sent, and the possible answers. */
export function RequestCard({ request, isGone }: { request: PageRequestRow; isGone: boolean }) {
  const { title, detail, created_at, nudges, overdue, answers, kind, priority, note, responded_at } = request;
  const answered = answeredBy(request);
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
        {priority !== null && <span className="font-semibold text-ink">· priority {priority}</span>}
        {nudges > 0 && <span>· reminded {nudges}×</span>}
        {overdue && <span className="font-semibold text-need">· overdue</span>}
        {answers.length === 0 && !answered && <span>· {statusWords(request)}</span>}
      </p>
      {answered && (
        <p className="mt-1 text-xs">
          <Plain text={answered} />, <When utc={responded_at ?? created_at} />
          {note && (
            <span className="mt-0.5 line-clamp-3 text-muted">
              “<Plain text={note} />”
            </span>
          )}
        </p>
      )}
      {answers.length > 0 && !isGone && <Answer request={request} isShort />}
    </li>
  );
}
