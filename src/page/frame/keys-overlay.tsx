import { changeSettings, useSettings } from '../model/settings.ts';
import { Overlay } from '../parts/overlay.tsx';
import { SHORTCUTS } from './shortcuts.ts';

export default function KeysOverlay({ onClose }: { onClose: () => void }) {
  const { keys } = useSettings();
  return (
    <Overlay title="Keyboard" onClose={onClose}>
      <dl className="grid grid-cols-1 gap-x-8 gap-y-2 p-4 sm:grid-cols-2">
        {SHORTCUTS.map(([key, what]) => (
          <div key={key} className="flex items-center justify-between gap-3">
            <dt className="text-muted">{what}</dt>
            <dd className="flex gap-1">
              {key.split(/ +/).map((each) => (
                <kbd key={each} className="kbd">
                  {each}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <p className="border-t border-line px-4 py-3">
        <button type="button" className="btn" onClick={() => changeSettings({ keys: !keys })}>
          {keys ? 'Switch single-key commands off' : 'Switch single-key commands on'}
        </button>
      </p>
    </Overlay>
  );
}
