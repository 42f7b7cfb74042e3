import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from './icons.tsx';

interface Props {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
  /** As a drawer at the side, so that the list beside it stays visible. */
  side?: boolean;
}

/** What has the focus at first: a marked element, else the first field; without one, the first control. */
const FIRST = '[data-first], input:not([type="hidden"]), textarea, select';

/** Above the page. The focus stays inside until it is closed. */
export function Overlay({ title, onClose, children, side }: Props) {
  useFocusBack();
  const place = side
    ? 'inset-y-0 right-0 h-full w-full max-w-[34rem] border-l'
    : 'inset-x-0 top-[8vh] mx-auto max-h-[84vh] w-[calc(100vw-1.5rem)] max-w-xl rounded-xl border';
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup
          ref={popup}
          initialFocus={() => popup.current?.querySelector<HTMLElement>(FIRST) ?? true}
          className={`fixed z-50 flex flex-col border-line bg-surface text-ink shadow-2xl outline-none ${place}`}
        >
          <header className="flex items-center gap-3 border-b border-line px-4 py-2">
            <Dialog.Title className="min-w-0 flex-1 truncate text-sm font-semibold">{title}</Dialog.Title>
            <Dialog.Close className="btn btn-bare px-1.5" aria-label="Close">
              <Icon name="close" />
            </Dialog.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** A field that has the focus from the start would be taken for what had it before. */
function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // After the overlay is gone, unless something else has the focus by then.
      setTimeout(() => {
        if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
      });
    },
    [before],
  );
}
