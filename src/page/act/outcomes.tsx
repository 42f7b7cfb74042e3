import { useStore } from '../model/store.ts';
import { Icon } from '../parts/icons.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { type Outcome, outcomes } from './acting.ts';
import { phraseOf } from './deeds.ts';

/** How each action ended, one line per agent, until the person dismisses them. */
export default function Outcomes() {
  const shown = useStore(outcomes);
  return (
    <aside
      aria-label="What you did"
      className="fixed inset-x-3 bottom-16 z-40 flex flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-xl md:inset-x-auto md:right-4 md:bottom-4 md:w-[27rem]"
    >
      {shown.length > 0 && (
        <>
          <header className="flex items-center gap-2 border-b border-line px-4 py-1">
            <h2 className="heading flex-1">{summary(shown)}</h2>
            <button
              type="button"
              className="btn btn-bare px-1.5"
              aria-label="Dismiss what you did"
              onClick={() => outcomes.set(shown.filter(({ state }) => state === 'sending'))}
            >
              <Icon name="close" size={15} />
            </button>
          </header>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and so must be reached by keyboard */}
          <ul aria-live="polite" className="max-h-[40vh] overflow-y-auto py-1" tabIndex={0}>
            {shown.map((outcome) => (
              <OutcomeRow key={outcome.key} outcome={outcome} />
            ))}
          </ul>
        </>
      )}
    </aside>
  );
}

function summary(shown: readonly Outcome[]): string {
  const count = (state: Outcome['state']): number => shown.filter((each) => each.state === state).length;
  const parts = [
    [count('sending'), 'under way'],
    [count('done'), 'done'],
    [count('failed'), 'not done'],
  ] as const;
  return parts.flatMap(([many, word]) => (many > 0 ? [`${many} ${word}`] : [])).join(', ');
}

const LOOK = {
  sending: { colour: 'text-wait', icon: 'reminder' },
  done: { colour: 'text-idle', icon: 'check' },
  failed: { colour: 'text-need', icon: 'close' },
} as const;

function OutcomeRow({ outcome: { name, deed, state, sentence, hint, again } }: { outcome: Outcome }) {
  const { colour, icon } = LOOK[state];
  return (
    <li className="flex items-start gap-2 px-4 py-1.5" data-outcome={state}>
      <span className={`mt-0.5 ${colour}`}>
        <Icon name={icon} size={15} />
      </span>
      <div className="min-w-0 flex-1">
        <Plain text={state === 'sending' ? `${phraseOf(deed, name)} …` : sentence} />
        {hint && (
          <p className="text-xs text-muted">
            <Plain text={hint} />
          </p>
        )}
      </div>
      {again && (
        <button type="button" className="btn" onClick={again}>
          Try again
        </button>
      )}
    </li>
  );
}
