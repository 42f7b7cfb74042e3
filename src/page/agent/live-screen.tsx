import { memo } from 'react';
import type { PageScreen } from '../../wire/index.ts';
import { Age } from '../parts/age.tsx';
import { Loading, Trouble } from '../parts/feedback.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { DialogCard } from './dialog-card.tsx';
import { coloursOf } from './screen-colours.ts';
import { useScreen } from './use-screen.ts';

/** The agent's screen while the page is visible. It is captured, not attached: nothing is resized or typed. */
export function LiveScreen({ name }: { name: string }) {
  const { screen, error } = useScreen(name);
  if (!screen) return error ? <Trouble error={error} /> : <Loading what="the screen" rows={6} />;
  return (
    <>
      {screen.dialog && <DialogCard key={screen.dialog.hash} name={name} dialog={screen.dialog} />}
      {Boolean(error) && <Trouble error={error} />}
      <Terminal screen={screen} />
      <p className="border-t border-line px-4 py-1 text-xs text-muted">
        Read-only, {screen.columns} × {screen.rows}, seen <Age utc={screen.captured_at_utc} /> ago
      </p>
    </>
  );
}

const Terminal = memo(function Terminal({ screen }: { screen: PageScreen }) {
  const { columns, lines } = screen;
  return (
    <section
      className="terminal flex-1"
      aria-label="Screen of the agent, read-only"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and so must be reached by keyboard
      tabIndex={0}
      style={{ '--columns': columns } as React.CSSProperties}
    >
      {lines.map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a screen's rows are their places
        <div key={row} className="terminal-row">
          {line.map((span, at) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a line's runs are their places
              key={at}
              style={{ ...coloursOf(span), ...fontOf(span) }}
            >
              <Plain text={span.text} />
            </span>
          ))}
        </div>
      ))}
    </section>
  );
});

type Span = PageScreen['lines'][number][number];

function fontOf({ bold, italic, underline, strike }: Span): React.CSSProperties {
  const lines = [underline && 'underline', strike && 'line-through'].filter(Boolean).join(' ');
  return {
    ...(bold && { fontWeight: 700 }),
    ...(italic && { fontStyle: 'italic' }),
    ...(lines && { textDecorationLine: lines }),
  };
}
