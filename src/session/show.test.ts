import { expect, it } from 'vitest';
import { wayInto, wayInWords } from './show.ts';

const facts = { tmuxSessionName: 'HOUMAO-ana-1', tmuxSocket: '/x/tmux' };

it('a plain terminal attaches, on the server of the agent', () => {
  expect(wayInWords({ env: {} }, facts)).toBe(`tmux -S /x/tmux attach-session -t '=HOUMAO-ana-1'`);
});

it('inside the same server the client switches', () => {
  const env = { TMUX: '/x/tmux,1,0' };
  expect(wayInto({ env }, facts)).toMatchObject({ how: 'switch' });
  expect(wayInWords({ env }, facts)).toBe(`tmux -S /x/tmux switch-client -t '=HOUMAO-ana-1'`);
});

it('inside another server the client switches there and returns, and nothing is nested', () => {
  const { how, command } = wayInto({ env: { TMUX: '/y/tmux,1,0' } }, facts);
  expect([how, ...command]).toEqual([
    ...['replace', 'tmux', '-S', '/y/tmux', 'detach-client', '-E'],
    "tmux -S /x/tmux attach-session -t '=HOUMAO-ana-1'; exec tmux -S /y/tmux attach-session",
  ]);
});
