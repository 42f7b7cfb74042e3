import type { PageNeed } from '../../wire/index.ts';
import { createStore, useStore } from './store.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
/** Kinds of notification; `finished` is off by default. */
export const NOTICE_KINDS = ['question', 'failure', 'overdue', 'finished'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export interface Settings {
  theme: Theme;
  /** Single letters as commands (WCAG 2.1.4: they can be switched off). */
  keys: boolean;
  notify: boolean;
  kinds: Record<NoticeKind, boolean>;
}

const PLACE = 'rouse.settings';
const FIRST: Settings = {
  theme: 'system',
  keys: true,
  notify: false,
  kinds: { question: true, failure: true, overdue: true, finished: false },
};

function stored(): Settings {
  try {
    const read = JSON.parse(localStorage.getItem(PLACE) ?? '{}') as Partial<Settings>;
    return { ...FIRST, ...read, kinds: { ...FIRST.kinds, ...read.kinds } };
  } catch {
    return FIRST;
  }
}

export const settings = createStore(stored());

export function changeSettings(change: Partial<Settings>): void {
  const next = { ...settings.get(), ...change };
  settings.set(next);
  showTheme(next.theme);
  try {
    localStorage.setItem(PLACE, JSON.stringify(next));
  } catch {
    // No storage: the setting applies to this tab only.
  }
}

function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Other tabs follow. */
export function followOtherTabs(): void {
  addEventListener('storage', ({ key }) => {
    if (key !== PLACE) return;
    settings.set(stored());
    showTheme(settings.get().theme);
  });
}

export const useSettings = (): Settings => useStore(settings);

const OF_NEED: Record<PageNeed['kind'], NoticeKind> = {
  dialog: 'question',
  trust: 'question',
  update: 'question',
  request: 'question',
  logged_out: 'question',
  other: 'question',
  undecided: 'question',
  usage_limit: 'failure',
  failed: 'failure',
  uncertain: 'failure',
  mail: 'question',
  tool_gone: 'failure',
  gateway_dead: 'failure',
  mail_loop: 'failure',
  overdue: 'overdue',
};

export const noticeKindOf = (kind: PageNeed['kind']): NoticeKind => OF_NEED[kind] ?? 'question';
