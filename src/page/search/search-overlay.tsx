import { useInfiniteQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useMemo, useState } from 'react';
import type { PageSearch } from '../../wire/index.ts';
import { act } from '../act/acting.ts';
import { useSession } from '../frame/session-context.ts';
import { usePicture } from '../live/live.ts';
import { searchFor } from '../live/queries.ts';
import { agentPath, isOwnPlace, useQueryWord, withQuery } from '../model/router.ts';
import { When } from '../parts/age.tsx';
import { Quiet, Trouble } from '../parts/feedback.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { Overlay } from '../parts/overlay.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { type Command, commandsFor } from './commands.ts';

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
  const commands = useCommands(text);
  return (
    <Overlay title="Search and act" onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: moves the focus between the controls inside */}
      <div onKeyDown={stepByArrows}>
        <div className="border-b border-line p-3">
          <input
            // biome-ignore lint/a11y/noAutofocus: the overlay was opened to type here
            autoFocus
            type="search"
            className="field"
            value={text}
            onChange={({ target }) => setText(target.value)}
            data-choice
            onKeyDown={({ key, currentTarget }) => {
              if (key === 'Enter') choicesAround(currentTarget)[1]?.click();
            }}
            placeholder="stop ana · new mail · agents, subjects, request ids"
            aria-label="Search everything"
          />
          <p className="mt-1 text-xs text-muted">
            {data?.pages[0] && words ? (
              <Plain text={data.pages[0].understood} />
            ) : (
              'Arrow keys choose, Enter opens. Also from:ana to:ben state:working before:2026-01-31'
            )}
          </p>
        </div>
        {error ? <Trouble error={error} /> : null}
        {commands.length > 0 && (
          <ul className="border-b border-line py-1" aria-label="Commands">
            {commands.map((command) => (
              <CommandRow key={command.words} command={command} onClose={onClose} />
            ))}
          </ul>
        )}
        {words !== '' && hits.length === 0 && commands.length === 0 && !isFetching && !error && (
          <Quiet>Nothing found.</Quiet>
        )}
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
      </div>
    </Overlay>
  );
}

function useCommands(text: string): readonly Command[] {
  const { rights } = useSession();
  const agents = usePicture((picture) => picture.agents);
  const muted = usePicture((picture) => picture.mutedIds);
  return useMemo(
    () =>
      commandsFor(text, {
        agents: agents?.values() ?? [],
        muted: muted ?? new Set(),
        rights,
        pathOf: agentPath,
      }),
    [text, agents, muted, rights],
  );
}

const CHOICE =
  'w-full items-baseline gap-3 px-4 py-1.5 text-left hover:bg-bg focus-visible:bg-accent-soft focus-visible:outline-offset-[-2px]';

function CommandRow({ command, onClose }: { command: Command; onClose: () => void }) {
  const inside = (
    <>
      <span className="translate-y-0.5 text-muted">
        <Icon name={command.icon} size={15} />
      </span>
      <span className="min-w-0 truncate font-semibold">
        <Plain text={command.words} />
      </span>
    </>
  );
  const look = `grid grid-cols-[1rem_1fr] ${CHOICE}`;
  if ('href' in command)
    return (
      <li>
        <Link data-choice href={command.href} onClick={onClose} className={look}>
          {inside}
        </Link>
      </li>
    );
  return (
    <li>
      <button
        type="button"
        data-choice
        className={look}
        onClick={() => {
          onClose();
          act(command.deed, [command.row]);
        }}
      >
        {inside}
      </button>
    </li>
  );
}

/** The field and what can be chosen, in their order. */
const choicesAround = (element: Element): HTMLElement[] => [
  ...(element.closest('[role="dialog"]')?.querySelectorAll<HTMLElement>('[data-choice]') ?? []),
];

function stepByArrows(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  const choices = choicesAround(event.currentTarget);
  const at = choices.indexOf(document.activeElement as HTMLElement);
  choices[Math.min(Math.max(at + by, 0), choices.length - 1)]?.focus();
  event.preventDefault();
}

function HitRow({ hit: { kind, title, detail, at_utc, href }, onClose }: { hit: Hit; onClose: () => void }) {
  return (
    <li>
      <Link
        data-choice
        href={isOwnPlace(href) ? href : withQuery({})}
        onClick={onClose}
        className={`grid grid-cols-[1rem_1fr_auto] ${CHOICE}`}
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
