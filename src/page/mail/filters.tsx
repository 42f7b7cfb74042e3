import { type FormEvent, useState } from 'react';
import type { MailChoice } from '../live/queries.ts';
import { goTo, withQuery } from '../model/router.ts';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { Plain } from '../parts/plain-text.tsx';

/** One state at a time, each as its part of the address. */
const STATES = {
  unread: { words: 'unread', query: { unread: 'true' } },
  inbox: { words: 'in the inbox', query: { box: 'inbox' } },
  archive: { words: 'archived', query: { box: 'archive' } },
  sent: { words: 'sent', query: { box: 'sent' } },
  answered: { words: 'answered', query: { answered: 'answered' } },
  unanswered: { words: 'not answered', query: { answered: 'unanswered' } },
} as const;
type State = keyof typeof STATES;

const NO_STATE = { unread: undefined, box: undefined, answered: undefined };

const stateOf = ({ unread, box, answered }: MailChoice): State | undefined =>
  (Object.keys(STATES) as State[]).find((state) => {
    const { query } = STATES[state];
    return Object.entries(query).every(
      ([name, value]) => ({ unread, box, answered })[name as keyof typeof NO_STATE] === value,
    );
  });

/** Another list begins without an open conversation. */
const narrowed = (change: Record<string, string | undefined>): string =>
  withQuery({ ...change, ref: undefined, at: undefined });

/** Search, and what narrows it. Everything is in the address. */
export function Filters({ choice }: { choice: MailChoice }) {
  const [isOpen, setOpen] = useState(false);
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    goTo(narrowed(wordsOf(new FormData(event.currentTarget))));
  };
  const active = activeOf(choice);
  return (
    <form onSubmit={search} className="space-y-2" aria-label="Search mail">
      <div className="flex items-center gap-2">
        <input
          key={choice.q}
          type="search"
          name="q"
          defaultValue={choice.q}
          className="field min-w-0 flex-1"
          placeholder="Search mail"
          aria-label="Search mail"
        />
        <button type="button" className="btn px-2.5" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filter
          {active.length > 0 && <span className="digits text-accent">{active.length}</span>}
        </button>
      </div>
      {isOpen && <Fields choice={choice} />}
      {active.length > 0 && (
        <ul className="flex flex-wrap gap-1" aria-label="Filters">
          {active.map(({ words, without }) => (
            <li key={words}>
              <Link
                href={narrowed(without)}
                className="chip max-w-full bg-accent-soft text-accent"
                aria-label={`Remove the filter ${words}`}
              >
                <Plain text={words} />
                <Icon name="close" size={11} />
              </Link>
            </li>
          ))}
          {active.length > 1 && (
            <li>
              <Link href={narrowed(NOTHING)} className="chip text-muted underline">
                Clear filters
              </Link>
            </li>
          )}
        </ul>
      )}
    </form>
  );
}

const NOTHING = {
  ...NO_STATE,
  q: undefined,
  from: undefined,
  to: undefined,
  since: undefined,
  files: undefined,
};

function Fields({ choice }: { choice: MailChoice }) {
  const set = (name: string, value: string | undefined) => goTo(narrowed({ [name]: value || undefined }));
  return (
    <div className="grid grid-cols-2 gap-2">
      {(['from', 'to'] as const).map((name) => (
        <input
          key={`${name} ${choice[name] ?? ''}`}
          className="field"
          name={name}
          defaultValue={choice[name]}
          maxLength={300}
          placeholder={name === 'from' ? 'From' : 'To'}
          aria-label={name === 'from' ? 'From' : 'To'}
          onBlur={({ target }) => set(name, target.value.trim())}
        />
      ))}
      <select
        className="field"
        aria-label="State"
        value={stateOf(choice) ?? ''}
        onChange={({ target }) =>
          goTo(narrowed({ ...NO_STATE, ...(target.value ? STATES[target.value as State].query : {}) }))
        }
      >
        <option value="">Any state</option>
        {(Object.keys(STATES) as State[]).map((state) => (
          <option key={state} value={state}>
            {STATES[state].words}
          </option>
        ))}
      </select>
      <label className="flex min-w-0 items-center gap-2 text-muted">
        <span className="shrink-0">Since</span>
        <input
          type="date"
          className="field min-w-0"
          value={choice.since ?? ''}
          onChange={({ target }) => set('since', target.value)}
        />
      </label>
      <label className="col-span-2 flex items-center gap-2">
        <input
          type="checkbox"
          checked={choice.files === 'true'}
          onChange={({ target }) => set('files', target.checked ? 'true' : undefined)}
        />
        With an attachment
      </label>
    </div>
  );
}

function wordsOf(form: FormData): Record<string, string | undefined> {
  const found: Record<string, string | undefined> = {};
  for (const name of ['q', 'from', 'to'])
    if (form.has(name)) found[name] = String(form.get(name)).trim() || undefined;
  return found;
}

/** What narrows the list, in words, and the address without it. */
function activeOf(choice: MailChoice): { words: string; without: Record<string, undefined> }[] {
  const { q, from, to, since, files } = choice;
  const state = stateOf(choice);
  // The boxes of a mailbox are chosen beside it.
  const isState = state !== undefined && !(choice.box && choice.mailbox);
  return [
    ...(q ? [{ words: `"${q}"`, without: { q: undefined } }] : []),
    ...(from ? [{ words: `from ${from}`, without: { from: undefined } }] : []),
    ...(to ? [{ words: `to ${to}`, without: { to: undefined } }] : []),
    ...(since ? [{ words: `since ${since}`, without: { since: undefined } }] : []),
    ...(isState ? [{ words: STATES[state].words, without: NO_STATE }] : []),
    ...(files ? [{ words: 'with an attachment', without: { files: undefined } }] : []),
  ];
}
