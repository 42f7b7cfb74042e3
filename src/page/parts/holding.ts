import { type RefObject, useEffect, useRef } from 'react';
import { createStore } from '../model/store.ts';

/** How many lists contain the pointer or the focus. While there is one, no list of the page moves a row. */
export const holders = createStore(0);
const hold = (by: 1 | -1): void => holders.set(Math.max(0, holders.get() + by));

/** A lifted finger has no position, so rows also stay for a moment after a touch. */
const AFTER_TOUCH_MS = 3000;

/** Counts the reasons why one list is held; call `end` when the list is removed. */
function holder() {
  const reasons = new Set<string>();
  let lifting: ReturnType<typeof setTimeout> | undefined;
  const set = (reason: string, isOn: boolean): void => {
    const before = reasons.size;
    reasons[isOn ? 'add' : 'delete'](reason);
    if (before === 0 && reasons.size > 0) hold(1);
    if (before > 0 && reasons.size === 0) hold(-1);
  };
  const byPointer = (isIn: boolean) => (event: Event) =>
    (event as PointerEvent).pointerType !== 'touch' && set('pointer', isIn);
  const byTouch = () => {
    clearTimeout(lifting);
    set('touch', true);
    lifting = setTimeout(() => set('touch', false), AFTER_TOUCH_MS);
  };
  return {
    listeners: [
      ['pointerenter', byPointer(true)],
      ['pointermove', byPointer(true)],
      ['pointerleave', byPointer(false)],
      ['focusin', ({ target }: Event) => set('focus', (target as Element).matches(':focus-visible'))],
      ['focusout', () => set('focus', false)],
      ['touchstart', byTouch],
    ] as const,
    end() {
      clearTimeout(lifting);
      if (reasons.size > 0) hold(-1);
      reasons.clear();
    },
  };
}

/** For the element around a list. */
export function useHolding<E extends HTMLElement>(): RefObject<E | null> {
  const ref = useRef<E>(null);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const { listeners, end } = holder();
    for (const [name, listener] of listeners) element.addEventListener(name, listener, { passive: true });
    return () => {
      for (const [name, listener] of listeners) element.removeEventListener(name, listener);
      end();
    };
  }, []);
  return ref;
}
