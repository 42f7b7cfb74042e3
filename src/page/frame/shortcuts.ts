import { useEffect } from 'react';
import { goTo } from '../model/router.ts';
import { settings } from '../model/settings.ts';

const PLACES: Record<string, string> = {
  h: '/ui/',
  a: '/ui/',
  v: '/ui/activity',
  d: '/ui/day',
  s: '/ui/health',
  m: '/ui/mail',
  r: '/ui/requests',
  t: '/ui/reminders',
};

/** The keys that the overlay lists. `j` and `k` move between elements with `data-row`. */
export const SHORTCUTS: readonly (readonly [string, string])[] = [
  ['Ctrl+K', 'Search and act: stop ana, new mail'],
  ['/', 'Search and act'],
  ['?', 'This overview'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['a  x', 'Approve or reject the opened request'],
  ['g h', 'Home: who needs you, agents'],
  ['g v', 'Activity: everyone over time'],
  ['g d', 'What happened in the last 24 hours'],
  ['g s', 'Health: wakes and the server'],
  ['g m', 'Mail'],
  ['g r', 'Requests'],
  ['g t', 'Reminders'],
  ['r  f', 'Reply, or write to the agent; forward'],
  ['e  u', 'Archive, or mark as unread'],
  ['x', 'Choose a conversation; with Shift, all up to it'],
  ['z', 'Undo, while it is offered'],
  ['c', 'New message'],
  ['Ctrl+Enter', 'Send what is being written'],
  ['Esc', 'Close, or back to the list'],
];

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

interface Doing {
  search: () => void;
  overview: () => void;
}

/** Single letters work unless a field has the focus, a modifier is pressed, or they are switched off. */
export function useShortcuts({ search, overview }: Doing): void {
  useEffect(() => {
    let afterG = 0;
    const press = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        if (!document.querySelector('[role="dialog"]')) search();
        return;
      }
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        sendForm(event);
        return;
      }
      if (!settings.get().keys || isWriting(event.target) || event.metaKey || event.ctrlKey || event.altKey)
        return;
      if (document.querySelector('[role="dialog"]') && event.key !== '?') return;
      const isSecond = Date.now() - afterG < 1500;
      afterG = 0;
      const target = isSecond ? PLACES[event.key] : undefined;
      if (target) goTo(target);
      else if (event.key === 'g') afterG = Date.now();
      else if (event.key === '/') search();
      else if (event.key === '?') overview();
      else if (event.key === 'j' || event.key === 'k') step(event.key === 'j' ? 1 : -1);
      else if (!pressMarked(event.key)) {
        if (event.key !== 'c') return;
        goTo('/ui/mail?write=new');
      }
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [search, overview]);
}

/** From any field of a form, as its button would. */
function sendForm(event: KeyboardEvent): void {
  const form = isWriting(event.target) && (event.target as HTMLInputElement).form;
  if (!form || event.isComposing) return;
  event.preventDefault();
  const button = form.querySelector<HTMLButtonElement>('button[type="submit"]');
  if (!button?.disabled) form.requestSubmit(button);
}

/** Buttons and fields name their key in `data-key`. */
function pressMarked(key: string): boolean {
  if (!/^[a-z]$/.test(key)) return false;
  const marked = [...document.querySelectorAll<HTMLElement>(`[data-key="${key}"]`)].find(
    (one) => one.offsetParent,
  );
  if (!marked) return false;
  if (isWriting(marked)) marked.focus();
  else marked.click();
  return true;
}

function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')].filter((row) => row.offsetParent);
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at < 0 ? (by === 1 ? 0 : rows.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
