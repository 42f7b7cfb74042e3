import { Popover } from '@base-ui/react/popover';
import { Switch } from '@base-ui/react/switch';
import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import type { ReactNode } from 'react';
import { PAGE_ROLES } from '../../domain/tables.ts';
import { askToNotify, mayNotify } from '../model/notices.ts';
import { hasPush, turnPushOff } from '../model/push.ts';
import { leaveSession } from '../model/session.ts';
import {
  changeSettings,
  NOTICE_KINDS,
  type NoticeKind,
  THEMES,
  type Theme,
  useSettings,
} from '../model/settings.ts';
import { Icon } from '../parts/icons.tsx';
import { Plain } from '../parts/plain-text.tsx';
import { PushSetting } from './push-setting.tsx';
import { useMay, useSession } from './session-context.ts';

const KIND_WORDS: Record<NoticeKind, string> = {
  question: 'An agent asks something',
  failure: 'Something failed',
  overdue: 'An answer is overdue',
  finished: 'A turn has finished',
};

function Setting({
  label,
  on,
  disabled,
  set,
}: {
  label: ReactNode;
  on: boolean;
  disabled?: boolean;
  set: (on: boolean) => void;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the switch inside is its control
    <label className="flex items-center justify-between gap-4 py-1">
      <span className={disabled ? 'text-muted' : ''}>{label}</span>
      <Switch.Root
        checked={on}
        disabled={disabled ?? false}
        onCheckedChange={set}
        className="h-5 w-9 shrink-0 rounded-full border border-edge bg-sunken p-px data-[checked]:border-accent data-[checked]:bg-accent"
      >
        <Switch.Thumb className="block size-4 rounded-full bg-edge data-[checked]:translate-x-4 data-[checked]:bg-accent-ink" />
      </Switch.Root>
    </label>
  );
}

function Themes() {
  const { theme } = useSettings();
  return (
    <ToggleGroup
      value={[theme]}
      onValueChange={([next]) => changeSettings({ theme: (next as Theme | undefined) ?? 'system' })}
      aria-label="Theme"
      className="flex gap-1 rounded-lg bg-sunken p-1"
    >
      {THEMES.map((each) => (
        <Toggle
          key={each}
          value={each}
          className="flex-1 rounded-md px-2 py-1 text-xs font-medium text-muted capitalize data-[pressed]:bg-surface data-[pressed]:text-ink data-[pressed]:shadow-sm"
        >
          {each}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}

function Notices() {
  const { notify, kinds } = useSettings();
  const may = mayNotify();
  const mayAnswer = useMay('answer');
  const set = (on: boolean) => (on ? void askToNotify() : changeSettings({ notify: false }));
  return (
    <section>
      <Setting label="Notify me" on={notify && may === 'granted'} disabled={may === 'denied'} set={set} />
      {may === 'denied' && <p className="text-xs text-muted">Your browser does not allow it here.</p>}
      {NOTICE_KINDS.map((kind) => (
        <Setting
          key={kind}
          label={KIND_WORDS[kind]}
          on={kinds[kind]}
          disabled={!notify}
          set={(on) => changeSettings({ kinds: { ...kinds, [kind]: on } })}
        />
      ))}
      {mayAnswer && <PushSetting Setting={Setting} />}
    </section>
  );
}

/** A browser that is logged out gets no notices either. */
async function logOut(): Promise<void> {
  if (hasPush()) await turnPushOff().catch(() => undefined);
  await leaveSession();
  location.reload();
}

export default function SettingsMenu() {
  const { keys } = useSettings();
  const { name, role, server } = useSession();
  return (
    <Popover.Root>
      <Popover.Trigger className="btn btn-bare px-1.5" aria-label="Settings">
        <Icon name="gear" size={18} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className="z-50">
          <Popover.Popup
            className="w-72 space-y-3 rounded-xl border border-line bg-surface p-3 text-ink shadow-xl outline-none"
            aria-label="Settings"
          >
            <Themes />
            <Notices />
            <Setting label="Single-key commands" on={keys} set={(on) => changeSettings({ keys: on })} />
            <div className="border-t border-line pt-2 text-xs text-muted">
              <p>
                <strong className="text-ink">
                  <Plain text={name} />
                </strong>{' '}
                {PAGE_ROLES[role].words}
              </p>
              <p>
                Rouse {server.version} on <Plain text={server.host} />
              </p>
              <button type="button" className="btn mt-2 w-full" onClick={() => void logOut()}>
                Log out
              </button>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
