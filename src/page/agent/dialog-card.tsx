import type { PageDialog, PageReceipt } from '../../wire/index.ts';
import { useMay } from '../frame/session-context.ts';
import { agentAt } from '../live/queries.ts';
import { useAction } from '../parts/action.ts';
import { Trouble } from '../parts/feedback.tsx';
import { Plain } from '../parts/plain-text.tsx';

/** A rule as wide as the terminal: it may be cut without losing anything. */
const RULE = /^[\s─━═╌┄╭╮╰╯┌┐└┘]+$/;

interface Props {
  name: string;
  dialog: PageDialog;
  /** Receives the receipt's sentence, for a place that goes away with the dialog. */
  onDone?: (sentence: string) => void;
}

/**
 * A question of the tool. A choice is one raw key; the server presses it only if this very dialog is on the screen at that
 * moment. Nothing is ever chosen automatically.
 */
export function DialogCard({ name, dialog, onDone }: Props) {
  const { sending, run } = useAction<PageReceipt>();
  const may = useMay('operate');
  const choose = async (key: string) => {
    const receipt = await run(`${agentAt(name)}/dialog`, { dialog_hash: dialog.hash, key });
    if (receipt) onDone?.(receipt.sentence);
  };
  return (
    <section className="border-b border-line bg-need-soft px-4 py-3" aria-labelledby="dialog">
      <h2 id="dialog" className="font-semibold text-need">
        <Plain text={`${name} asks (${dialog.kind}): ${dialog.title}`} />
      </h2>
      <section
        aria-label="The question, as on its screen"
        className="mt-2 rounded-md bg-surface px-3 py-2 font-mono text-xs whitespace-pre-wrap"
      >
        {dialog.lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a dialog are their places
          <div key={at} className={RULE.test(line) ? 'overflow-hidden whitespace-pre' : ''}>
            <Plain text={line || ' '} />
          </div>
        ))}
      </section>
      <div className="mt-2 flex flex-wrap gap-2">
        {may &&
          dialog.choices.map(({ key, label, selected }) => (
            <button
              key={key}
              type="button"
              className={`btn h-auto whitespace-normal ${selected ? 'border-edge' : ''}`}
              disabled={sending.state === 'sending' || sending.state === 'done'}
              onClick={() => void choose(key)}
            >
              <kbd className="kbd">
                <Plain text={key} />
              </kbd>
              {label !== key && <Plain text={label} />}
            </button>
          ))}
      </div>
      {dialog.choices.length === 0 && (
        <p className="mt-2 text-xs">
          Its choices were not recognised. Answer in its window:{' '}
          <code className="font-mono">rouse open {name}</code>
        </p>
      )}
      {!may && <p className="mt-1 text-xs text-muted">View only: ask for an "operate" link to answer.</p>}
      {sending.state === 'done' && (
        <p role="status" className="mt-2 text-xs">
          <Plain text={sending.receipt.sentence} />
        </p>
      )}
      {sending.state === 'failed' && (
        <div className="mt-2">
          <Trouble error={sending.error} />
        </div>
      )}
    </section>
  );
}
