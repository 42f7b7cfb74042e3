import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRouseError } from '../../base/index.ts';
import { chooseSelector, type Selector, type SelectorFlags } from './selector.ts';

const inside = true;
const outside = false;

const allowed: [string, SelectorFlags, boolean, Selector][] = [
  ['--agent-name', { agentName: 'gpu' }, outside, { by: 'agent_name', name: 'gpu' }],
  ['the canonical name', { agentName: 'HOUMAO-gpu' }, outside, { by: 'agent_name', name: 'gpu' }],
  ['--agent-id', { agentId: 'a1b2' }, outside, { by: 'agent_id', id: 'a1b2' }],
  [
    '--pair-port with a name',
    { agentName: 'gpu', pairPort: 9889 },
    outside,
    { by: 'agent_name', name: 'gpu', pairPort: 9889 },
  ],
  [
    '--pair-port with an id',
    { agentId: 'a1', pairPort: 9889 },
    inside,
    { by: 'agent_id', id: 'a1', pairPort: 9889 },
  ],
  ['a tmux session outside tmux', { targetTmuxSession: 'S-1' }, outside, { by: 'tmux_session', name: 'S-1' }],
  ['a tmux session inside tmux', { targetTmuxSession: 'S-1' }, inside, { by: 'tmux_session', name: 'S-1' }],
  ['the current session, said', { currentSession: true }, inside, { by: 'current_session', implied: false }],
  ['the current session, implied', {}, inside, { by: 'current_session', implied: true }],
];

const refused: [string, SelectorFlags, boolean, RegExp][] = [
  ['nothing outside tmux', {}, outside, /no agent was named/],
  ['--current-session outside tmux', { currentSession: true }, outside, /only inside a tmux session/],
  ['name and id', { agentName: 'a', agentId: 'b' }, outside, /not both/],
  ['name and tmux session', { agentName: 'a', targetTmuxSession: 's' }, outside, /only one of/],
  ['id and current session', { agentId: 'a', currentSession: true }, inside, /only one of/],
  [
    'tmux session and current session',
    { targetTmuxSession: 's', currentSession: true },
    inside,
    /only one of/,
  ],
  ['--pair-port alone, outside', { pairPort: 9889 }, outside, /needs --agent-name or --agent-id/],
  ['--pair-port alone, inside', { pairPort: 9889 }, inside, /needs --agent-name or --agent-id/],
  [
    '--pair-port with a tmux session',
    { targetTmuxSession: 's', pairPort: 1 },
    outside,
    /cannot be used with --target/,
  ],
  [
    '--pair-port with the current session',
    { currentSession: true, pairPort: 1 },
    inside,
    /with --current-session/,
  ],
  ['an empty name', { agentName: ' ' }, outside, /must not be empty/],
  ['a name that is a path', { agentName: '../x' }, outside, /not valid/],
  ['an id that is a path', { agentId: 'a/b' }, outside, /not valid/],
  ['a blank tmux session', { targetTmuxSession: ' ' }, outside, /must not be blank/],
  ['a tmux window', { targetTmuxSession: 's:0' }, outside, /not a session name/],
  ['a tmux pane', { targetTmuxSession: 's.1' }, outside, /not a session name/],
  ['a tmux id', { targetTmuxSession: '$3' }, outside, /not a session name/],
  ['a tmux match', { targetTmuxSession: '=s' }, outside, /not a session name/],
];

describe('which agent is meant', () => {
  it.each(allowed)('%s names an agent', (_, flags, insideTmux, selector) => {
    expect(chooseSelector(flags, insideTmux)).toEqual(selector);
  });

  it.each(refused)('%s is refused', (_, flags, insideTmux, words) => {
    expect(() => chooseSelector(flags, insideTmux)).toThrow(words);
  });

  it('says that --pair-port is not the port of a gateway', () => {
    let hint: string | undefined;
    try {
      chooseSelector({ pairPort: 4711 }, inside);
    } catch (error) {
      if (isRouseError(error)) hint = error.hint;
    }
    expect(hint).toMatch(/--gateway-port/);
  });

  it('never takes two ways at once, and --pair-port only with an agent', () => {
    const flags = fc.record(
      {
        agentName: fc.constantFrom('gpu', 'cpu'),
        agentId: fc.constantFrom('a1', 'b2'),
        currentSession: fc.constant(true),
        targetTmuxSession: fc.constantFrom('S-1', 'S-2'),
        pairPort: fc.integer({ min: 1, max: 65_535 }),
      },
      { requiredKeys: [] },
    );
    void fc.assert(
      fc.property(flags, fc.boolean(), (given, insideTmux) => {
        const { pairPort, ...ways } = given;
        let selector: Selector;
        try {
          selector = chooseSelector(given, insideTmux);
        } catch (error) {
          expect(isRouseError(error) && error.code).toBe('invalid');
          return;
        }
        expect(Object.keys(ways).length).toBeLessThanOrEqual(1);
        const byAgent = selector.by === 'agent_id' || selector.by === 'agent_name';
        expect(pairPort === undefined || byAgent).toBe(true);
        if (selector.by === 'current_session') expect(insideTmux).toBe(true);
      }),
    );
  });
});
