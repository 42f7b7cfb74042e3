import type { How } from '../tui/composer.ts';
import type { Habits } from '../tui/skin.ts';

/** What Enter means for this draft. */
export type Submission =
  | { kind: 'nothing' }
  | { kind: 'prompt' }
  | { kind: 'newline' }
  | { kind: 'shell'; command: string }
  | { kind: 'command'; name: string }
  | { kind: 'unknown-command'; name: string; keep: boolean }
  | { kind: 'complete'; text: string }
  | { kind: 'help' };

export const COMMANDS = ['/clear', '/new', '/help', '/exit', '/quit'];

export interface Draft {
  text: string;
  how: How;
  /** A `!` of an earlier prompt still applies. */
  shellMode: boolean;
}

/** Decides as real tools do. Text that no habit treats specially is a prompt, exactly as written. */
export function readSubmission(draft: Draft, habits: Habits): Submission {
  const { text, how } = draft;
  if (text.trim() === '') return { kind: 'nothing' };
  if (draft.shellMode) return { kind: 'shell', command: text };
  if (text.startsWith('!') && (habits.bang === 'always' || (habits.bang === 'typed' && how !== 'pasted'))) {
    return { kind: 'shell', command: text.slice(1) };
  }
  if (text === '?' && habits.questionMarkHelps && how === 'typed') return { kind: 'help' };
  if (habits.backslashNewline && text.endsWith('\\')) return { kind: 'newline' };
  const slash = /^(\/[a-zA-Z][\w-]*)(?:\s|$)/.exec(text)?.[1];
  if (slash && COMMANDS.includes(slash)) return { kind: 'command', name: slash };
  if (slash && habits.unknownSlash !== 'send') {
    return { kind: 'unknown-command', name: slash, keep: habits.unknownSlash === 'keep' };
  }
  if (habits.completesAtName && /(^|\s)@\w[\w./-]*$/.test(text))
    return { kind: 'complete', text: `${text}.md ` };
  return { kind: 'prompt' };
}
