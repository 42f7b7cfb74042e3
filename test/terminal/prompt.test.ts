import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readReason, reasonTexts } from '../../src/domain/index.ts';
import { openSurface } from '../../src/terminal/index.ts';
import { ScriptedWorld } from '../scripted/scripted-world.ts';
import { inPane } from './test-pane.ts';

let world: ScriptedWorld;
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(() => world.close());

describe('a prompt', () => {
  it('a prompt goes into a ready agent, and every stage is recorded with its evidence', () =>
    inPane(world, async (pane) => {
      const prompt = pane.prompt('hello there, agent');
      const result = await pane.surface.deliver(prompt);
      expect(result).toMatchObject({ outcome: 'submitted', reasons: [] });
      expect(result.evidence.at(-1)).toMatchObject({
        source: 'transcript_row',
        facts: { composer: 'empty', enters: 1 },
      });
      expect(pane.records('submitted')).toMatchObject([{ text: 'hello there, agent', how: 'pasted' }]);
      await expect
        .poll(() => prompt.recorded.map(({ stage }) => stage))
        .toEqual(['typing', 'typed', 'submitted', 'turn_seen', 'turn_finished']);
      expect(prompt.recorded.at(-1)?.evidence.facts).toEqual({ result: 'success' });
    }));

  it('a prompt is not typed into a dialog, whatever the policy', () =>
    inPane(world, async (pane) => {
      await pane.control.send('open-dialog', { kind: 'permission', detail: 'rm -rf build' });
      await pane.until(({ reasons }) => reasonTexts(reasons).includes("dialog='permission'"));
      for (const policy of ['ready_only', 'if_no_pending', 'always'] as const) {
        const result = await pane.surface.deliver(pane.prompt('yes please', { policy }));
        expect(result).toMatchObject({ outcome: 'not_ready', untouched: true });
        expect(reasonTexts(result.reasons).join(' ')).toContain("dialog='permission'");
      }
      expect(pane.records('key_in_dialog')).toEqual([]);
    }));

  it('a prompt is not appended to the draft of a person', () =>
    inPane(world, async (pane) => {
      await pane.type('half a thought');
      await pane.until(({ ready }) => !ready);
      const result = await pane.surface.deliver(pane.prompt('something else', { policy: 'always' }));
      expect(result).toMatchObject({
        outcome: 'not_ready',
        untouched: true,
        reasons: [readReason("editing_input='yes'")],
      });
      expect(await pane.control.send('status')).toMatchObject({ draft: { text: 'half a thought' } });
    }));

  it('a prompt is not typed into the shell below a dead agent, and a new agent is another instance', () =>
    inPane(
      world,
      async (pane) => {
        const first = pane.surface.observation().instanceId;
        expect(first).toMatch(/^\d+-\d+$/);
        await pane.control.send('crash-to-shell');
        await pane.until(({ connectivity }) => connectivity === 'unavailable');
        expect(pane.surface.observation()).toMatchObject({
          ready: false,
          instanceId: null,
          sessionLost: false,
        });
        await pane.shellScreen();
        const result = await pane.surface.deliver(pane.prompt('rm -rf /', { policy: 'always' }));
        expect(result).toMatchObject({
          outcome: 'not_ready',
          untouched: true,
          reasons: [readReason("process='shell'")],
        });
        expect(await pane.shellScreen()).toBe('shell$');
        await pane.restart();
        await pane.ready();
        expect(pane.surface.observation().instanceId).not.toBe(first);
      },
      { shell: true },
    ));

  it('a prompt whose reason has gone is superseded, and nothing is typed', () =>
    inPane(world, async (pane) => {
      const recheck = async (): Promise<{ go: false; reason: string }> => ({
        go: false,
        reason: 'mail was read',
      });
      const prompt = pane.prompt('you have mail', { recheck });
      expect(await pane.surface.deliver(prompt)).toMatchObject({
        outcome: 'superseded',
        untouched: true,
        reasons: ['mail was read'],
      });
      expect(prompt.recorded).toEqual([]);
      expect(await pane.control.send('status')).toMatchObject({ draft: { bytes: 0 } });
    }));

  it('a prompt cannot close the brackets of its paste: escapes are removed, and that is recorded', () =>
    inPane(world, async (pane) => {
      const prompt = pane.prompt('before\u001b[201~!touch x\rafter\u0007');
      expect(await pane.surface.deliver(prompt)).toMatchObject({ outcome: 'submitted' });
      expect(pane.records('submitted')).toMatchObject([{ text: 'before[201~!touch x\nafter' }]);
      expect(prompt.recorded[0]?.evidence.facts).toMatchObject({
        policy: 'ready_only',
        changes: ['line_ends_unified', 'control_characters_removed'],
      });
    }));

  it('a prompt for a new chat follows the reset of the chat', () =>
    inPane(world, async (pane) => {
      await pane.surface.deliver(pane.prompt('in the old chat'));
      await pane.until(({ ready }) => ready);
      const result = await pane.surface.deliver(
        pane.prompt('in the new chat', { chatSession: { mode: 'new' } }),
      );
      expect(result).toMatchObject({ outcome: 'submitted' });
      const recorded = pane.records('submitted', 'command').map((each) => each['text'] ?? each['name']);
      expect(recorded).toEqual(['in the old chat', '/clear', 'in the new chat']);
    }));

  it('a prompt for a new chat waits for a list of commands that is drawn later than the command', () =>
    inPane(world, async (pane) => {
      await pane.control.send('menu-late', { ms: 400 });
      const result = await pane.surface.deliver(
        pane.prompt('in the new chat', { chatSession: { mode: 'new' } }),
      );
      expect([result.outcome, result.reasons]).toEqual(['submitted', []]);
      const recorded = pane.records('submitted', 'command').map((each) => each['text'] ?? each['name']);
      expect(recorded).toEqual(['/clear', 'in the new chat']);
    }));

  it('a prompt for a new chat whose command is never offered leaves no list of commands open', () =>
    inPane(
      world,
      async (pane) => {
        await pane.control.send('menu-late', { ms: 3_600_000 });
        const prompt = pane.prompt('in the new chat', { chatSession: { mode: 'new' } });
        expect(await pane.surface.deliver(prompt)).toMatchObject({ outcome: 'failed', untouched: true });
        await pane.ready();
        expect(pane.records('submitted', 'command')).toEqual([]);
      },
      { flags: ['--skin', 'kimi-like'], surface: { patience: { echoMs: 300 } } },
    ));

  it.each([
    ['a chat that exists', { chatSession: { mode: 'exact' as const, id: 'x' } }],
    ['a model', { execution: { model: { name: 'm' } } }],
  ])('a prompt with %s is refused by a TUI', (_what, more) =>
    inPane(world, async (pane) => {
      expect(await pane.surface.deliver(pane.prompt('hello', more))).toMatchObject({
        outcome: 'refused',
        untouched: true,
      });
    }),
  );

  it.each(['', '   \n\t ', '\u200b\u0007'])('a prompt without visible text (%j) is refused', (text) =>
    inPane(world, async (pane) => {
      expect(await pane.surface.deliver(pane.prompt(text))).toMatchObject({
        outcome: 'refused',
        untouched: true,
      });
    }),
  );

  it('prompts of two writers at once arrive as separate prompts', () =>
    inPane(world, async (pane) => {
      const other = openSurface(pane.surfaceOptions());
      await other.start();
      const texts = Array.from({ length: 6 }, (_, index) => `prompt ${index} of two writers`);
      const outcomes = await Promise.all(
        texts.map(async (text, index) => {
          const surface = index % 2 === 0 ? pane.surface : other;
          for (;;) {
            const { outcome } = await surface.deliver(pane.prompt(text));
            if (outcome !== 'not_ready') return outcome;
            await new Promise((resolve) => setTimeout(resolve, 30));
          }
        }),
      );
      await other.close();
      expect(outcomes).toEqual(texts.map(() => 'submitted'));
      const received = pane.records('submitted').map(({ text }) => text as string);
      expect(received.sort()).toEqual(texts);
    }));
});
