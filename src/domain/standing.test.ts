import { describe, expect, it } from 'vitest';
import { readReason } from './phrases/reason-text.ts';
import { standingOf } from './standing.ts';

const of = (...reasons: string[]) => standingOf({ tool: 'claude', reasons: reasons.map(readReason) });

describe('the state of an agent in lists', () => {
  it('an agent is idle if there is no reason against a prompt, and not watched if no gateway looked', () => {
    expect(of()).toEqual({ state: 'idle', words: 'idle', needs_you: null });
    expect(standingOf({ tool: 'claude', reasons: undefined })).toEqual({
      state: 'unknown',
      words: 'not watched',
      needs_you: null,
    });
  });

  it("the standing of an agent never calls Rouse's own text a person's draft", () => {
    const reasons = ["editing_input='yes'", "stable='false'"].map(readReason);
    expect(standingOf({ tool: 'claude', reasons, typing: 'now' })).toEqual({
      state: 'waiting',
      words: 'a prompt is being typed',
      needs_you: null,
    });
    expect(standingOf({ tool: 'claude', reasons, typing: 'left' }).needs_you).toMatch(/that Rouse typed/);
    expect(
      standingOf({ tool: 'claude', reasons: [readReason("dialog='permission'")], typing: 'now' }).words,
    ).toBe('permission dialog');
  });

  it.each([
    [["phase='active'", "stable='false'"], 'working', null],
    [["stable='false'"], 'idle', null],
    [["dialog='permission'", "stable='false'"], 'needs_you', /asks for permission/],
    [["dialog='trust'"], 'needs_you', /folder may be trusted/],
    [["dialog='login'"], 'needs_you', /^log in to claude/],
    [["dialog='update'"], 'needs_you', /offers an update of itself/],
    [["dialog='first_run'"], 'needs_you', /first-run set-up of claude/],
    [["dialog='something new'"], 'needs_you', /a dialog is open/],
    [
      ["logged_out='Not logged in · Run /login'"],
      'needs_you',
      /^log in to claude .*"Not logged in · Run \/login"$/,
    ],
    [["editing_input='yes'"], 'needs_you', /draft/],
    [["process='shell'"], 'gone', /rouse agents relaunch/],
    [["ready_posture='unknown'"], 'waiting', null],
    [["ready_posture='unknown'", "stalled='yes'"], 'needs_you', /not recognised/],
    [["usage_limit='3pm'"], 'waiting', null],
    [['an unknown reason'], 'waiting', null],
  ])('%j: %s', (reasons, state, needs) => {
    const standing = of(...reasons);
    expect(standing.state).toBe(state);
    if (needs === null) expect(standing.needs_you).toBeNull();
    else expect(standing.needs_you).toMatch(needs);
  });

  it('a person is also needed for what the gateway waits for, even while the agent works', () => {
    const reasons = [readReason("phase='active'")];
    const known = { tool: 'codex', reasons, request_admission: 'blocked_reconciliation' as const };
    expect(standingOf(known)).toMatchObject({
      state: 'needs_you',
      needs_you: expect.stringContaining('reconcile'),
    });
  });

  it('a mail loop needs a person also while the agent is idle', () => {
    expect(standingOf({ tool: 'codex', reasons: [], mail_loop: 20 })).toMatchObject({
      state: 'needs_you',
      words: 'mail loop',
      needs_you: expect.stringContaining('20 automatic replies in a thread without a person'),
    });
  });

  it('missing mail tools of a process started by hand are named while the agent is idle', () => {
    const known = { tool: 'codex', tools_missing: true };
    expect(standingOf({ ...known, reasons: [] })).toEqual({
      state: 'idle',
      words: 'idle; started by hand: no mail tools, relaunch gives them',
      needs_you: null,
    });
    expect(standingOf({ ...known, reasons: [readReason("dialog='permission'")] }).words).toBe(
      'permission dialog',
    );
  });

  it('mail tools that the tool cannot reach need a relaunch, also while the agent is idle', () => {
    expect(standingOf({ tool: 'codex', reasons: [], tools_elsewhere: true })).toMatchObject({
      state: 'needs_you',
      words: 'mail tools out of reach',
      needs_you: expect.stringContaining('rouse agents relaunch'),
    });
  });
});
