import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { openSurface } from '../../src/terminal/index.ts';
import { tuiHistory, tuiState } from '../../src/wire/index.ts';
import { AgentHouse } from '../scripted/agent-in-tmux.ts';
import { Desk, type DeskOptions } from './desk.ts';
import { PersonAtClient } from './person-at-client.ts';

let house: AgentHouse;
beforeAll(async () => {
  house = await AgentHouse.open();
});
afterAll(() => house.close());

async function atDesk(test: (desk: Desk) => Promise<void>, options?: DeskOptions): Promise<void> {
  const desk = await new Desk(house, options).open();
  try {
    await desk.ready();
    await test(desk);
  } finally {
    await desk.close();
  }
}

describe('a prompt', () => {
  it('goes into a ready agent, and every stage is recorded with its evidence', () =>
    atDesk(async (desk) => {
      const prompt = desk.prompt('hello there, agent');
      const result = await desk.surface.deliver(prompt);
      expect(result).toMatchObject({ outcome: 'submitted', reasons: [] });
      expect(result.evidence.at(-1)).toMatchObject({
        source: 'transcript_row',
        facts: { composer: 'empty', enters: 1 },
      });
      expect(desk.records('submitted')).toMatchObject([{ text: 'hello there, agent', how: 'pasted' }]);
      await expect
        .poll(() => prompt.told.map(({ stage }) => stage))
        .toEqual(['typing', 'typed', 'submitted', 'turn_seen', 'turn_finished']);
      expect(prompt.told.at(-1)?.evidence.facts).toEqual({ result: 'success' });
    }));

  it('is not typed into a dialog, whatever the policy', () =>
    atDesk(async (desk) => {
      await desk.control.send('open-dialog', { kind: 'permission', detail: 'rm -rf build' });
      await desk.until(({ reasons }) => reasons.includes("dialog='permission'"));
      for (const policy of ['ready_only', 'if_no_pending', 'always'] as const) {
        const result = await desk.surface.deliver(desk.prompt('yes please', { policy }));
        expect(result).toMatchObject({ outcome: 'not_ready', untouched: true });
        expect(result.reasons.join(' ')).toContain("dialog='permission'");
      }
      expect(desk.records('key_in_dialog')).toEqual([]);
    }));

  it('is not glued to the draft of a person', () =>
    atDesk(async (desk) => {
      await desk.type('half a thought');
      await desk.until(({ ready }) => !ready);
      const result = await desk.surface.deliver(desk.prompt('something else', { policy: 'always' }));
      expect(result).toMatchObject({
        outcome: 'not_ready',
        untouched: true,
        reasons: ["editing_input='yes'"],
      });
      expect(await desk.control.send('status')).toMatchObject({ draft: { text: 'half a thought' } });
    }));

  it('is not typed into the shell a dead agent has left, and a new agent is another instance', () =>
    atDesk(
      async (desk) => {
        const first = desk.surface.observation().instanceId;
        expect(first).toMatch(/^\d+-\d+$/);
        await desk.control.send('crash-to-shell');
        await desk.until(({ connectivity }) => connectivity === 'unavailable');
        expect(desk.surface.observation()).toMatchObject({
          ready: false,
          instanceId: null,
          sessionLost: false,
        });
        const result = await desk.surface.deliver(desk.prompt('rm -rf /', { policy: 'always' }));
        expect(result).toMatchObject({ outcome: 'not_ready', untouched: true, reasons: ["process='shell'"] });
        expect(await desk.shellScreen()).toBe('shell$');
        await desk.restart();
        await desk.ready();
        expect(desk.surface.observation().instanceId).not.toBe(first);
      },
      { shell: true },
    ));

  it('whose reason has gone is superseded, and nothing is typed', () =>
    atDesk(async (desk) => {
      const recheck = async (): Promise<{ go: false; reason: string }> => ({
        go: false,
        reason: 'mail was read',
      });
      const prompt = desk.prompt('you have mail', { recheck });
      expect(await desk.surface.deliver(prompt)).toMatchObject({
        outcome: 'superseded',
        untouched: true,
        reasons: ['mail was read'],
      });
      expect(prompt.told).toEqual([]);
      expect(await desk.control.send('status')).toMatchObject({ draft: { bytes: 0 } });
    }));

  it('cannot close the brackets of its paste: escapes are taken out, and that is recorded', () =>
    atDesk(async (desk) => {
      const prompt = desk.prompt('before\u001b[201~!touch x\rafter\u0007');
      expect(await desk.surface.deliver(prompt)).toMatchObject({ outcome: 'submitted' });
      expect(desk.records('submitted')).toMatchObject([{ text: 'before[201~!touch x\nafter' }]);
      expect(prompt.told[0]?.evidence.facts).toMatchObject({
        changes: ['line_ends_unified', 'control_characters_removed'],
      });
    }));

  it('for a new chat follows the reset of the chat', () =>
    atDesk(async (desk) => {
      await desk.surface.deliver(desk.prompt('in the old chat'));
      await desk.until(({ ready }) => ready);
      const result = await desk.surface.deliver(
        desk.prompt('in the new chat', { chatSession: { mode: 'new' } }),
      );
      expect(result).toMatchObject({ outcome: 'submitted' });
      const told = desk.records('submitted', 'command').map((each) => each['text'] ?? each['name']);
      expect(told).toEqual(['in the old chat', '/clear', 'in the new chat']);
    }));

  it.each([
    ['a chat that exists', { chatSession: { mode: 'exact' as const, id: 'x' } }],
    ['a model', { execution: { model: { name: 'm' } } }],
  ])('with %s is refused by a TUI', (_what, more) =>
    atDesk(async (desk) => {
      expect(await desk.surface.deliver(desk.prompt('hello', more))).toMatchObject({
        outcome: 'refused',
        untouched: true,
      });
    }),
  );

  it.each(['', '   \n\t ', '\u200b\u0007'])('of nothing to be seen (%j) is refused', (text) =>
    atDesk(async (desk) => {
      expect(await desk.surface.deliver(desk.prompt(text))).toMatchObject({
        outcome: 'refused',
        untouched: true,
      });
    }),
  );

  it('by two writers at once arrives as two prompts', () =>
    atDesk(async (desk) => {
      const other = openSurface(desk.surfaceOptions());
      await other.start();
      const texts = Array.from({ length: 6 }, (_, index) => `prompt ${index} of two writers`);
      const outcomes = await Promise.all(
        texts.map(async (text, index) => {
          const surface = index % 2 === 0 ? desk.surface : other;
          for (;;) {
            const { outcome } = await surface.deliver(desk.prompt(text));
            if (outcome !== 'not_ready') return outcome;
            await new Promise((resolve) => setTimeout(resolve, 30));
          }
        }),
      );
      await other.close();
      expect(outcomes).toEqual(texts.map(() => 'submitted'));
      const received = desk.records('submitted').map(({ text }) => text as string);
      expect(received.sort()).toEqual(texts);
    }));
});

describe('a person', () => {
  it('who types at a terminal of their own keeps everybody else out until they rest', () =>
    atDesk(async (desk) => {
      const person = new PersonAtClient().sitsAt(desk.place);
      const writing = person.writes('this is mine');
      await person.begun;
      const early = await desk.surface.deliver(desk.prompt('this is not'));
      expect(early).toMatchObject({ outcome: 'not_ready', untouched: true });
      await writing;
      await person.close();
      expect(desk.records('submitted')).toMatchObject([{ text: 'this is mine' }]);
    }));

  it('who scrolls in copy mode is not disturbed; copy mode that nobody looks at is left', () =>
    atDesk(async (desk) => {
      await desk.tmux(['copy-mode', '-t', `=${desk.session}:0`]);
      await desk.until(({ reasons }) => reasons.includes("copy_mode='yes'"));
      expect(await desk.surface.sendKeys({ requestId: 'k', sequence: 'x' })).toMatchObject({
        outcome: 'not_ready',
      });
      expect(await desk.surface.deliver(desk.prompt('nobody is reading'))).toMatchObject({
        outcome: 'submitted',
      });
    }));
});

describe('keys asked for by name', () => {
  it('go into a dialog when somebody says so, and it is on record', () =>
    atDesk(async (desk) => {
      await desk.control.send('open-dialog', { kind: 'permission' });
      await desk.until(({ reasons }) => reasons.includes("dialog='permission'"));
      const result = await desk.surface.sendKeys({ requestId: 'k', sequence: '<[Down]><[Enter]>' });
      expect(result).toMatchObject({ outcome: 'submitted' });
      expect(result.evidence[0]?.facts).toMatchObject({ segments: 2, dialog: 'permission' });
      await desk.control.event('dialog_answered');
      expect(desk.records('key_in_dialog').map(({ key }) => key)).toEqual(['down', 'enter']);
    }));

  it('are typed exactly, without an Enter of our own', () =>
    atDesk(async (desk) => {
      const { mark } = desk.control;
      await desk.surface.sendKeys({ requestId: 'k', sequence: 'a; b <[Left]>c#{d}' });
      await desk.control.event('draft', ({ bytes }) => bytes === 10, mark);
      expect(await desk.control.send('status')).toMatchObject({ draft: { text: 'a; bc#{d} ' } });
    }));

  it('with an unknown name are refused before anything is sent', () =>
    atDesk(async (desk) => {
      await expect(desk.surface.sendKeys({ requestId: 'k', sequence: 'abc<[escape]>' })).rejects.toThrow(
        /escape/,
      );
      expect(await desk.control.send('status')).toMatchObject({ draft: { bytes: 0 } });
    }));
});

describe('an interrupt', () => {
  it('ends the running turn', () =>
    atDesk(async (desk) => {
      await desk.surface.deliver(desk.prompt('[[turn=600s]] [[delay=1ms]] [[words=5]] long work'));
      const result = await desk.surface.interrupt('i');
      expect(result).toMatchObject({ outcome: 'submitted', untouched: false });
      await desk.control.event('interrupted');
      expect(desk.records('interrupted')).toMatchObject([{ by: 'escape' }]);
    }));

  it('sends no key when nothing runs', () =>
    atDesk(async (desk) => {
      expect(await desk.surface.interrupt('i')).toMatchObject({ outcome: 'submitted', untouched: true });
    }));
});

describe('the surface', () => {
  it('tells its state as the contract says it, at every moment', () =>
    atDesk(
      async (desk) => {
        const { tui } = desk.surface;
        expect(tuiState.parse(tui?.state())).toMatchObject({
          terminal_id: desk.manifest.runtime?.session_id,
          diagnostics: { availability: 'available', process_state: 'tui_up', parse_status: 'parsed' },
          surface: { accepting_input: 'yes', editing_input: 'no', ready_posture: 'yes', pending_input: 'no' },
          turn: { phase: 'ready' },
          stability: { stable: true },
          submit_ready: true,
        });
        expect(tuiState.parse(tui?.notePrompt('typed by somebody'))).toMatchObject({
          turn: { phase: 'active' },
          submit_ready: false,
        });
        await desk.surface.deliver(desk.prompt('[[dialog=permission]] ask', { policy: 'if_no_pending' }));
        await desk.until(({ reasons }) => reasons.includes("dialog='permission'"));
        expect(tuiState.parse(tui?.state())).toMatchObject({
          parsed_surface: {
            business_state: 'awaiting_operator',
            input_mode: 'modal',
            ui_context: 'dialog_permission',
          },
        });
        await desk.control.send('crash-to-shell');
        await desk.until(({ connectivity }) => connectivity === 'unavailable');
        expect(tuiState.parse(tui?.state())).toMatchObject({
          submit_ready: false,
          turn: { phase: 'unknown' },
        });
        const history = tuiHistory.parse(tui?.history(3));
        expect(history.entries).toHaveLength(3);
        expect(tuiHistory.parse(tui?.history(0)).entries.length).toBeGreaterThan(3);
      },
      { shell: true },
    ));

  it('takes away what a killed sender has left in tmux, and nothing else', async () => {
    const desk = new Desk(house);
    await desk.begin();
    await desk.tmux(['load-buffer', '-b', 'rouse-0123456789abcdef', '-'], 'half a prompt');
    await desk.tmux(['load-buffer', '-b', 'somebody’s', '-'], 'a person copied this');
    const later = { ...systemClock, now: () => new Date(Date.now() + 3_600_000) };
    const surface = openSurface({ ...desk.surfaceOptions(), clock: later });
    await surface.start();
    expect((await desk.tmux(['list-buffers', '-F', '#{buffer_name}'])).trim()).toBe('somebody’s');
    await surface.close();
    await desk.tmux(['delete-buffer', '-b', 'somebody’s']);
    await desk.close();
  });

  it('says that the session is lost when it is', () =>
    atDesk(async (desk) => {
      const lost = desk.until(({ sessionLost }) => sessionLost);
      await desk.tmux(['kill-session', '-t', `=${desk.session}`]);
      await lost;
      expect(desk.surface.observation()).toMatchObject({ connectivity: 'unavailable', ready: false });
      expect(tuiState.parse(desk.surface.tui?.state())).toMatchObject({
        diagnostics: { availability: 'unavailable', transport_state: 'tmux_missing' },
      });
    }));

  it('comes back when its client was detached', () =>
    atDesk(async (desk) => {
      const clients = await desk.tmux(['list-clients', '-t', `=${desk.session}`, '-F', '#{client_name}']);
      const away = desk.surface.changed.next();
      for (const client of clients.trim().split('\n'))
        await desk.tmux(['detach-client', '-t', client]).catch(() => {});
      await Promise.race([away, new Promise((resolve) => setTimeout(resolve, 500))]);
      await desk.ready();
      expect(await desk.surface.deliver(desk.prompt('still there?'))).toMatchObject({ outcome: 'submitted' });
    }));

  it('is not ready for a tool nobody has described', async () => {
    const desk = new Desk(house);
    desk.manifest.tool = 'something-new';
    desk.manifest.runtime = { agent_pid: await desk.begin() };
    await desk.open();
    const { ready, eligibility } = desk.surface.observation();
    expect({ ready, eligibility }).toEqual({ ready: false, eligibility: 'unknown' });
    const result = await desk.surface.deliver(desk.prompt('hello', { policy: 'always' }));
    expect(result).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(tuiState.parse(desk.surface.tui?.state())).toMatchObject({
      diagnostics: { parse_status: 'unsupported_tool' },
    });
    await desk.close();
  });
});
