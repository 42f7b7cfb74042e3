import { Menu } from '@base-ui/react/menu';
import type { PageAgentRow } from '../../wire/index.ts';
import { useSession } from '../frame/session-context.ts';
import { usePicture } from '../live/live.ts';
import { Icon } from '../parts/icons.tsx';
import { act } from './acting.ts';
import { DEED_NAMES, deedOf } from './deeds.ts';

interface Props {
  rows: readonly PageAgentRow[];
  /** The button's name for screen readers, with whom it is about. */
  label: string;
  /** Commands to copy, below the actions. */
  copies?: readonly { label: string; command: string }[];
}

const ITEM =
  'flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 outline-none data-[highlighted]:bg-accent-soft data-[highlighted]:text-accent';

/** What the person may do to these agents now. What does not fit any of them, or is not allowed, is left out. */
export function DeedMenu({ rows, label, copies = [] }: Props) {
  const { rights } = useSession();
  const muted = usePicture((picture) => picture.mutedIds);
  const offered = DEED_NAMES.flatMap((name) => {
    const { right, fits } = deedOf(name);
    const of = rows.filter((row) => fits(row, muted?.has(row.id) ?? false));
    return of.length > 0 && rights.includes(right) ? [{ name, of }] : [];
  });
  return (
    <Menu.Root>
      <Menu.Trigger className="btn" aria-label={label}>
        Actions
        <Icon name="down" size={14} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="z-50">
          <Menu.Popup className="w-72 max-w-[calc(100vw-1rem)] rounded-xl border border-line bg-surface p-1 text-ink shadow-xl outline-none">
            {offered.map(({ name, of }) => (
              <Menu.Item key={name} className={ITEM} onClick={() => act(name, of)}>
                <Icon name={deedOf(name).icon} size={15} />
                <span className={deedOf(name).confirms ? 'text-need' : ''}>{deedOf(name).label}</span>
                {of.length < rows.length && (
                  <span className="digits ml-auto text-xs text-muted">
                    {of.length} of {rows.length}
                  </span>
                )}
              </Menu.Item>
            ))}
            {copies.map(({ label: words, command }) => (
              <Menu.Item
                key={command}
                className={ITEM}
                onClick={() => void navigator.clipboard?.writeText(command)}
              >
                <Icon name="copy" size={15} />
                <span className="min-w-0">
                  {words} <code className="font-mono text-xs">{command}</code>
                </span>
              </Menu.Item>
            ))}
            {!rights.includes('run') && (
              <p className="border-t border-line px-2 pt-2 pb-1 text-xs text-muted">
                To stop, relaunch or start agents here, use a link of{' '}
                <code className="font-mono">rouse dashboard --role run</code>
              </p>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
