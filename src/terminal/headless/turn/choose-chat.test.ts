import { describe, expect, it } from 'vitest';
import type { HeadlessState } from '../../port.ts';
import { chooseChat } from './choose-chat.ts';

type Chat = HeadlessState['chat_session'];
const state = (change: Partial<Chat> = {}): Chat => ({
  current: null,
  startup_default: { mode: 'new', id: null },
  next_prompt_override: null,
  ...change,
});
const current = { id: 'pinned' };
const override = { mode: 'new' as const };
const fresh = { chat: { kind: 'create' }, takesOverride: false };
const exact = (id: string) => ({ chat: { kind: 'exact', id }, takesOverride: false });
const last = { chat: { kind: 'last' }, takesOverride: false };

describe('which chat a prompt goes to', () => {
  it.each([
    ['nothing is known', undefined, state(), fresh],
    ['a chat is pinned', undefined, state({ current }), exact('pinned')],
    ['auto is asked for', { mode: 'auto' as const }, state({ current }), exact('pinned')],
    [
      'the session began with the latest',
      undefined,
      state({ startup_default: { mode: 'tool_last_or_new', id: null } }),
      last,
    ],
    [
      'the session began with one',
      undefined,
      state({ startup_default: { mode: 'exact', id: 'first' } }),
      exact('first'),
    ],
    [
      'a chat is pinned since',
      undefined,
      state({ current, startup_default: { mode: 'exact', id: 'first' } }),
      exact('pinned'),
    ],
    [
      'the override is set',
      undefined,
      state({ current, next_prompt_override: override }),
      { ...fresh, takesOverride: true },
    ],
    ['new is asked for', { mode: 'new' as const }, state({ current, next_prompt_override: override }), fresh],
    [
      'current is asked for',
      { mode: 'current' as const },
      state({ current, next_prompt_override: override }),
      exact('pinned'),
    ],
    [
      'current is asked for without one',
      { mode: 'current' as const },
      state(),
      { refused: 'there is no current chat session' },
    ],
    ['the latest is asked for', { mode: 'tool_last_or_new' as const }, state({ current }), last],
    ['one is asked for', { mode: 'exact' as const, id: 'other' }, state({ current }), exact('other')],
    [
      'a flag is asked for',
      { mode: 'exact' as const, id: '--last' },
      state(),
      { refused: expect.stringContaining('"-"') },
    ],
    [
      'nothing is named',
      { mode: 'exact' as const },
      state(),
      { refused: expect.stringContaining('1 to 200') },
    ],
    [
      'two words are named',
      { mode: 'exact' as const, id: 'a b' },
      state(),
      { refused: expect.stringContaining('white space') },
    ],
  ])('when %s', (_when, asked, chat, chosen) => {
    expect(chooseChat(asked, chat, true)).toEqual(chosen);
  });

  it('leaves the override to a direct prompt', () => {
    expect(chooseChat(undefined, state({ current, next_prompt_override: override }), false)).toEqual(
      exact('pinned'),
    );
  });
});
