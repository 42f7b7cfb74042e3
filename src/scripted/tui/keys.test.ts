import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testAgent } from '../agent.testing.ts';
import { fingerprint } from '../fingerprint.ts';
import { FullScreenPainter, InlinePainter } from './painter.ts';
import { SKINS } from './skins.ts';

describe('keys given to the agent', () => {
  it('typed and pasted prompts are received exactly, and distinguished', () => {
    const { press, paste, types } = testAgent();
    press('typed é\r');
    paste('pasted\n\ttwo');
    press('\r');
    paste('both');
    press(' ways\r');
    expect(types('submitted').map((each) => [each['how'], each['sha256']])).toEqual([
      ['typed', fingerprint('typed é').sha256],
      ['pasted', fingerprint('pasted\n\ttwo').sha256],
      ['mixed', fingerprint('both ways').sha256],
    ]);
  });

  it('a swallowed Enter leaves the text in the composer, and the next one sends it once', () => {
    const { agent, press, types } = testAgent();
    agent.faults.swallowEnters = 1;
    press('hello\r');
    expect(agent.composer.text).toBe('hello');
    expect(types('submitted', 'enter_swallowed').map((each) => each.type)).toEqual(['enter_swallowed']);
    press('\r');
    expect(types('submitted')).toHaveLength(1);
    expect(agent.composer.isEmpty).toBe(true);
  });

  it('a lost prompt empties the composer although nothing was received', () => {
    const { agent, press, types } = testAgent();
    agent.faults.losePrompts = 1;
    press('hello\r');
    expect(agent.composer.isEmpty).toBe(true);
    expect(types('submitted', 'turn_started', 'prompt_lost')).toMatchObject([
      { type: 'prompt_lost', bytes: 5 },
    ]);
  });

  it('an Enter too soon after a paste is swallowed, one later is not', async () => {
    const { agent, clock, press, paste, types } = testAgent('gemini-like');
    paste('hello');
    press('\r');
    expect(types('enter_swallowed')).toMatchObject([{ reason: 'burst', as: 'swallow' }]);
    await clock.advance(100);
    press('\r');
    expect(types('submitted')).toHaveLength(1);
    expect(agent.composer.isEmpty).toBe(true);
  });

  it('an Enter at the end of typing faster than a person becomes a new line', () => {
    const { agent, press } = testAgent('codex-like');
    press('typed by a program\r');
    expect(agent.composer.text).toBe('typed by a program\n');
  });

  it('an ignored paste leaves the composer as it was', () => {
    const { agent, paste, types } = testAgent();
    agent.faults.ignorePastes = 1;
    paste('lost');
    paste('kept');
    expect(agent.composer.text).toBe('kept');
    expect(types('paste_ignored')).toMatchObject([{ bytes: 4 }]);
  });

  it('what a tool changes in a paste, its skin changes', () => {
    const tabs = testAgent('claude-like');
    tabs.paste('a\tb');
    expect(tabs.agent.composer.text).toBe('a    b');
    const tail = testAgent('opencode-like');
    tail.paste('block');
    expect(tail.agent.composer.text).toBe('block ');
  });

  it('input while busy waits, in order, each as its own turn', async () => {
    const { agent, clock, press, types } = testAgent();
    press('one\r');
    press('two\r');
    press('three\r');
    expect(agent.view(80, 24).pending).toEqual(['two', 'three']);
    await clock.advance(5000);
    const turns = types('submitted').map((each) => each['turn_id']);
    expect(types('turn_finished').map((each) => each['turn_id'])).toEqual(turns);
    expect(new Set(turns).size).toBe(3);
  });

  it('steering puts the second prompt into the running turn', async () => {
    const { agent, clock, press, types } = testAgent();
    agent.busyInput = 'steer';
    press('one\r');
    press('two\r');
    await clock.advance(5000);
    expect(types('turn_finished')).toMatchObject([{ prompt_ids: ['p-x-1', 'p-x-2'], outcome: 'completed' }]);
  });

  it('Escape interrupts; a skin that restores puts the prompt back into the composer', async () => {
    const { agent, clock, press, types } = testAgent('claude-like');
    press('[[turn=9s]] slow\r');
    await clock.advance(100);
    press('\u001b');
    await clock.advance(1);
    expect(types('interrupted', 'turn_finished')).toMatchObject([
      { by: 'escape' },
      { outcome: 'interrupted' },
    ]);
    expect(agent.composer.text).toBe('[[turn=9s]] slow');
  });

  it('where Escape must be pressed twice, once only asks', async () => {
    const { agent, clock, press, types } = testAgent('copilot-like');
    press('[[turn=9s]] slow\r');
    press('\u001b');
    expect(types('interrupted')).toEqual([]);
    expect(agent.view(80, 24).hint).toContain('esc again');
    press('\u001b');
    await clock.advance(1);
    expect(types('interrupted')).toHaveLength(1);
  });

  it('Ctrl-C clears a draft, then asks, then ends; a pause in between asks again', async () => {
    const { clock, press, endings } = testAgent();
    press('draft\u0003');
    press('\u0003');
    await clock.advance(3000);
    press('\u0003');
    expect(endings).toEqual([]);
    press('\u0003');
    expect(endings).toEqual([{ kind: 'exit', code: 0 }]);
  });

  it('a leading ! is recorded as a shell command and never run', () => {
    const { paste, press, types } = testAgent('claude-like');
    paste('!touch pwned');
    press('\r');
    expect(types('shell_command', 'submitted')).toMatchObject([
      { command: 'touch pwned', asked: false, ran: false },
    ]);
  });

  it('the escape that ends a paste early lets the rest act as keys, as in real tools', () => {
    const { press, types } = testAgent('claude-like');
    press('\u001b[200~text\u001b[201~\u0015!touch pwned\r\u001b[201~');
    expect(types('shell_command')).toMatchObject([{ command: 'touch pwned' }]);
  });

  it('the echo may lag behind what was taken', async () => {
    const { agent, clock, press } = testAgent();
    agent.faults.echoLateMs = 500;
    press('late');
    expect(agent.view(80, 24).draft.text).toBe('');
    await clock.advance(500);
    expect(agent.view(80, 24).draft.text).toBe('late');
  });

  it('the list of commands may lag behind the draft', async () => {
    const { agent, clock, press } = testAgent();
    agent.faults.menuLateMs = 200;
    press('/cl');
    expect(agent.view(80, 24).menu).toEqual(['/new', '/help', '/exit', '/quit']);
    await clock.advance(200);
    expect(agent.view(80, 24).menu).toEqual(['/clear']);
  });

  it('the list of commands may outlive its text: Enter chooses from it, and a backspace closes it', () => {
    const { agent, press, types } = testAgent('kimi-like');
    press('/ne');
    press('\u0015');
    expect([agent.composer.text, agent.view(80, 24).menu]).toEqual(['', ['/new']]);
    press('\r');
    expect(types('command')).toMatchObject([{ name: '/new' }]);
    press('/ne');
    press('\u0015');
    press('\u007f');
    expect(agent.view(80, 24).menu).toEqual([]);
    press('\r');
    expect(types('command')).toHaveLength(1);
  });

  it('the busy line may lag behind the turn', async () => {
    const { agent, clock, press } = testAgent();
    agent.faults.busyLagMs = 200;
    press('[[turn=1s]] go\r');
    expect(agent.view(80, 24).busy).toBeUndefined();
    await clock.advance(200);
    expect(agent.view(80, 24).busy).toBeDefined();
  });

  it('Up recalls earlier prompts, newest first', async () => {
    const { agent, clock, press } = testAgent();
    press('first\r');
    press('second\r');
    await clock.advance(5000);
    press('\u001b[A\u001b[A');
    expect([agent.composer.text, agent.composer.how]).toEqual(['first', 'recalled']);
    press('\u001b[B\u001b[B');
    expect(agent.composer.isEmpty).toBe(true);
  });
});

describe('any bytes at all', () => {
  const bytes = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 10 }),
      fc.constantFrom(
        '\r',
        '\u001b',
        '\u001b[A',
        '\u001b[200~',
        '\u001b[201~',
        '\u0003',
        '\u0015',
        '[[ask]]',
        '/',
        '!',
        '\\',
      ),
    ),
    { maxLength: 40 },
  );

  it('after any bytes the agent still draws, runs one turn at a time, and prints no control character', () => {
    fc.assert(
      fc.property(bytes, fc.constantFrom(...SKINS.keys()), (chunks, skin) => {
        const { agent, press, types } = testAgent(skin);
        for (const chunk of chunks) {
          press(chunk);
          const painter = agent.skin.screen === 'alternate' ? new FullScreenPainter() : new InlinePainter();
          expect(painter.paint(agent.view(40, 12))).not.toMatch(/[\u0000-\u0007\u000e-\u001a]/);
        }
        const begun = types('turn_started').length;
        expect(begun).toBe(types('submitted').length > 0 ? 1 : 0);
        expect(agent.dialog === undefined || agent.state === 'dialog').toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('dialogs', () => {
  it('every key is recorded, and none reaches the composer', async () => {
    const { agent, press, paste, types } = testAgent();
    press('draft');
    void agent.ask({ kind: 'permission' });
    paste('a whole prompt');
    press('x\r');
    expect(types('key_in_dialog').map((each) => each['key'])).toEqual(['paste', 'x', 'enter']);
    expect(types('dialog_answered')).toMatchObject([{ answer: 'yes', by: 'key', keys: 2, pastes: 1 }]);
    expect(agent.composer.text).toBe('draft');
  });

  it.each([
    ['\r', 'yes'],
    ['y', 'yes'],
    ['2', 'always'],
    ['\u001b[B\u001b[B\r', 'no'],
    ['\u001b[A\r', 'no'],
    ['n', 'no'],
    ['\u001b', 'no'],
  ])('%j answers a permission dialog with %s', (bytes, answer) => {
    const { agent, press, types } = testAgent();
    void agent.ask({ kind: 'permission' });
    press(bytes);
    expect(types('dialog_answered')).toMatchObject([{ answer }]);
  });

  it('a digit inside a run of text answers in one skin and not in another', () => {
    for (const [skin, answers] of [
      ['gemini-like', 1],
      ['claude-like', 0],
    ] as const) {
      const { agent, press, types } = testAgent(skin);
      void agent.ask({ kind: 'permission' });
      press('do step 1 now');
      expect(types('dialog_answered')).toHaveLength(answers);
    }
  });

  it('a blind Enter into the trust dialog ends the program', () => {
    const { agent, press, endings } = testAgent();
    void agent.ask({ kind: 'trust' });
    press('\r');
    expect(endings).toEqual([{ kind: 'exit', code: 1 }]);
  });

  it('a turn that asks waits for the answer and ends denied when refused', async () => {
    const { clock, press, types } = testAgent();
    press('[[dialog=permission]] go\r');
    await clock.advance(60_000);
    expect(types('turn_finished')).toEqual([]);
    press('n');
    await clock.advance(1);
    expect(types('turn_finished')).toMatchObject([{ outcome: 'denied' }]);
  });

  it('a second dialog waits behind the first', async () => {
    const { agent, press, types } = testAgent();
    void agent.ask({ kind: 'permission' });
    void agent.ask({ kind: 'question' });
    press('\r');
    expect(types('dialog_opened').map((each) => each['kind'])).toEqual(['permission', 'question']);
    expect(agent.state).toBe('dialog');
  });

  it('a turn ended from outside closes the dialog it had opened', async () => {
    const { agent, clock, press, types } = testAgent();
    press('[[ask]] go\r');
    await clock.advance(1000);
    agent.engine.interrupt('control');
    await clock.advance(1);
    expect(types('dialog_answered', 'turn_finished')).toMatchObject([
      { answer: 'aborted' },
      { outcome: 'interrupted' },
    ]);
    expect(agent.state).toBe('ready');
  });
});
