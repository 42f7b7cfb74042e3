import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedWorld } from '../scripted/scripted-world.ts';
import { inPane, type TestPane } from './test-pane.ts';

let world: ScriptedWorld;
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(() => world.close());

/** Skins with a described composer; each opens a list of commands above it. */
const SKINS = ['plain', 'claude-like', 'gemini-like', 'qwen-like', 'kimi-like', 'copilot-like', 'noisy'];

const commands = (pane: TestPane): unknown[] => pane.records('command').map(({ name }) => name);

const isEmpty = async (pane: TestPane): Promise<void> =>
  void expect(await pane.control.send('status')).toMatchObject({ draft: { bytes: 0 } });

describe.each(SKINS)('a command as a prompt, in the skin %s', (skin) => {
  const at = (test: (pane: TestPane) => Promise<void>): Promise<void> =>
    inPane(world, test, { flags: ['--skin', skin], surface: { patience: { clearMs: 300 } } });

  it('a command as a prompt is run if its menu would choose exactly that command, and the next prompts follow', () =>
    at(async (pane) => {
      for (const command of ['/clear', '/new']) {
        const prompt = pane.prompt(command === '/new' ? `${command} \n` : command);
        const result = await pane.surface.deliver(prompt);
        expect(result).toMatchObject({ outcome: 'submitted', reasons: [] });
        expect(result.evidence.at(-1)).toMatchObject({
          source: 'command',
          facts: { chosen: command, composer: 'empty', menu: 'closed' },
        });
        expect(prompt.recorded.map(({ stage }) => stage)).toEqual(['typing', 'typed', 'submitted']);
        await pane.ready();
      }
      expect(commands(pane)).toEqual(['/clear', '/new']);
      expect(await pane.surface.deliver(pane.prompt('and now some work'))).toMatchObject({
        outcome: 'submitted',
      });
    }));

  it('a command as a prompt is erased without Enter if the menu would choose another command', () =>
    at(async (pane) => {
      const result = await pane.surface.deliver(pane.prompt('/cl'));
      expect(result).toMatchObject({ outcome: 'failed', untouched: false });
      expect(result.reasons).toEqual([
        'Enter was not pressed: a menu is open in which Enter chooses /clear',
        'the text was taken back',
      ]);
      expect(pane.records('command', 'submitted')).toEqual([]);
      await isEmpty(pane);
      await pane.ready();
    }));
});
