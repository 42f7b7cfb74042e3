import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { PageSearch } from '../../wire/index.ts';
import { searchFor } from '../live/queries.ts';
import { goTo, isOwnPlace, useQueryWord, withQuery } from '../model/router.ts';
import { When } from '../parts/age.tsx';
import { Quiet, Trouble } from '../parts/feedback.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { Overlay } from '../parts/overlay.tsx';
import { Plain } from '../parts/plain-text.tsx';

type Hit = PageSearch['hits'][number];

const ICONS: Record<Hit['kind'], IconName> = {
  agent: 'home',
  mailbox: 'archive',
  message: 'mail',
  request: 'request',
  prompt: 'prompt',
};

/** Search on the server, over everything it knows, not only what is loaded. */
export default function SearchOverlay({ onClose }: { onClose: () => void }) {
  const asked = useQueryWord('search') ?? '';
  const [text, setText] = useState(asked);
  const words = useDeferredValue(text.trim());
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(searchFor(words));
  const hits = data?.pages.flatMap((page) => page.hits) ?? [];
  const troubles = data?.pages.flatMap((page) => page.troubles) ?? [];
  return (
    <Overlay title="Search" onClose={onClose}>
      <div className="border-b border-line p-3">
        <input
          // biome-ignore lint/a11y/noAutofocus: the overlay was opened to type here
          autoFocus
          type="search"
          className="field"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={({ key }) => {
            const first = hits[0];
            if (key === 'Enter' && first && isOwnPlace(first.href)) {
              goTo(first.href);
              onClose();
            }
          }}
          placeholder="Agents, addresses, subjects, bodies, request ids"
          aria-label="Search everything"
        />
        <p className="mt-1 text-xs text-muted">
          {data?.pages[0] && words ? (
            <Plain text={data.pages[0].understood} />
          ) : (
            'Also from:ana to:ben state:working before:2026-01-31'
          )}
        </p>
      </div>
      {error ? <Trouble error={error} /> : null}
      {words !== '' && hits.length === 0 && !isFetching && !error && <Quiet>Nothing found.</Quiet>}
      <ul className="py-1" aria-busy={isFetching}>
        {hits.map((hit) => (
          <HitRow key={`${hit.kind} ${hit.key}`} hit={hit} onClose={onClose} />
        ))}
      </ul>
      {troubles.map((trouble) => (
        <p key={trouble} className="px-4 py-1 text-xs text-wait">
          <Plain text={trouble} />
        </p>
      ))}
      {hasNextPage && (
        <button type="button" className="btn btn-bare m-2" onClick={() => void fetchNextPage()}>
          More
        </button>
      )}
    </Overlay>
  );
}

function HitRow({ hit: { kind, title, detail, at_utc, href }, onClose }: { hit: Hit; onClose: () => void }) {
  return (
    <li>
      <Link
        href={isOwnPlace(href) ? href : withQuery({})}
        onClick={onClose}
        className="grid grid-cols-[1rem_1fr_auto] items-baseline gap-3 px-4 py-1.5 hover:bg-bg focus-visible:outline-offset-[-2px]"
      >
        <span className="translate-y-0.5 text-muted" title={kind}>
          <Icon name={ICONS[kind]} size={15} />
        </span>
        <span className="min-w-0">
          <span className="block truncate font-semibold">
            <Plain text={title} />
          </span>
          <span className="block truncate text-xs text-muted">
            <Plain text={detail} />
          </span>
        </span>
        <span className="text-xs text-muted">{at_utc && <When utc={at_utc} />}</span>
      </Link>
    </li>
  );
}
