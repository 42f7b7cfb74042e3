import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedHouse } from '../scripted/agent-in-tmux.ts';
import { atDesk, type Desk } from './desk.ts';

let house: ScriptedHouse;
beforeAll(async () => {
  house = await ScriptedHouse.open();
});
afterAll(() => house.close());

/** Those whose composer is described; each opens a list of commands above it. */
const SKINS = ['plain', 'claude-like', 'gemini-like', 'qwen-like', 'kimi-like', 'copilot-like', 'noisy'];

const commands = (desk: Desk): unknown[] => desk.records('command').map(({ name }) => name);

const isEmpty = async (desk: Desk): Promise<void> =>
  void expect(await desk.control.send('status')).toMatchObject({ draft: { bytes: 0 } });

describe.each(SKINS)('a command as a prompt, in the skin %s', (skin) => {
  const at = (test: (desk: Desk) => Promise<void>): Promise<void> =>
    atDesk(house, test, { flags: ['--skin', skin], surface: { patience: { clearMs: 300 } } });

  it('a command as a prompt is run when the menu it opens would choose exactly it, and the line goes on', () =>
    at(async (desk) => {
      for (const command of ['/clear', '/new']) {
        const prompt = desk.prompt(command === '/new' ? `${command} \n` : command);
        const result = await desk.surface.deliver(prompt);
        expect(result).toMatchObject({ outcome: 'submitted', reasons: [] });
        expect(result.evidence.at(-1)).toMatchObject({
          source: 'command',
          facts: { chosen: command, composer: 'empty', menu: 'closed' },
        });
        expect(prompt.told.map(({ stage }) => stage)).toEqual(['typing', 'typed', 'submitted']);
        await desk.ready();
      }
      expect(commands(desk)).toEqual(['/clear', '/new']);
      expect(await desk.surface.deliver(desk.prompt('and now some work'))).toMatchObject({
        outcome: 'submitted',
      });
    }));

  it('a command as a prompt is taken back when the menu would choose another, and Enter is not pressed', () =>
    at(async (desk) => {
      const result = await desk.surface.deliver(desk.prompt('/cl'));
      expect(result).toMatchObject({ outcome: 'failed', untouched: false });
      expect(result.reasons).toEqual([
        'Enter was not pressed: a menu is open in which Enter chooses /clear',
        'the text was taken back',
      ]);
      expect(desk.records('command', 'submitted')).toEqual([]);
      await isEmpty(desk);
      await desk.ready();
    }));
});
