import { type ReactNode, useEffect, useState } from 'react';
import { type PushState, pushState, turnPushOff, turnPushOn } from '../model/push.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { Plain } from '../parts/plain-text.tsx';

type Switch = (wanted: {
  label: ReactNode;
  on: boolean;
  disabled: boolean;
  set: (on: boolean) => void;
}) => ReactNode;

/** Web Push in this browser. The owner adds it on the command line; the click here says which browser gets it. */
export function PushSetting({ Setting }: { Setting: Switch }) {
  const [push, setPush] = useState<PushState>();
  const [trouble, setTrouble] = useState<string>();
  const [isBusy, setBusy] = useState(true);
  const doing = async (work?: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setTrouble(undefined);
    try {
      await work?.();
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : String(error));
    }
    await pushState().then(setPush, (error: Error) => setTrouble(error.message));
    setBusy(false);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it looks once, when the settings are opened
  useEffect(() => void doing(), []);
  const isOff = push?.state === 'off';
  const set = (on: boolean): void => {
    if (!on) void doing(turnPushOff);
    else if (isOff && push.isFree) void doing(() => turnPushOn(push.publicKey));
  };
  return (
    <div>
      <Setting
        label="Also when the page is closed"
        on={push?.state === 'on'}
        disabled={isBusy || push?.state === 'impossible' || (isOff && !push.isFree)}
        set={set}
      />
      {push?.state === 'impossible' && <p className="text-xs text-muted">{push.why}</p>}
      {isOff && !push.isFree && (
        <>
          <p className="text-xs text-muted">For one more browser, run this on the host:</p>
          <CommandLine command="rouse notify add web-push" />
        </>
      )}
      {trouble !== undefined && (
        <p role="alert" className="text-xs text-need">
          <Plain text={trouble} />
        </p>
      )}
    </div>
  );
}
