import type { PageRequest } from '../../wire/index.ts';
import { When } from '../parts/age.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Plain } from '../parts/plain-text.tsx';

/** What was asked, and everything written about it, oldest first. */
export function RequestText({ request, messages }: Pick<PageRequest, 'request' | 'messages'>) {
  return (
    <>
      {request.detail && <Markdown text={request.detail} />}
      {messages.map(({ id, author_name, author_id, body, created_at, closing }) => (
        <section key={id} className="rounded-lg bg-sunken p-3">
          <p className="mb-1 flex justify-between text-xs text-muted">
            <span>
              <Plain text={author_name ?? author_id} />
              {closing && ' answered'}
            </span>
            <When utc={created_at} />
          </p>
          <Markdown text={body} />
        </section>
      ))}
    </>
  );
}
