import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { readReason, reasonTexts } from '../../src/domain/index.ts';
import { openSurface, type Stage } from '../../src/terminal/index.ts';
import { tuiHistory, tuiState } from '../../src/wire/index.ts';
import { ScriptedHouse } from '../scripted/agent-in-tmux.ts';
import { atDesk, Desk, QUICK } from './desk.ts';
import { PersonAtClient } from './person-at-client.ts';

let house: ScriptedHouse;
beforeAll(async () => {
  house = await ScriptedHouse.open();
});
afterAll(() => house.close());

describe('what the lane types', () => {
  it("what the lane types is never shown as a person's draft, however long it is in the composer; a person's draft is", () =>
    atDesk(house, async (desk) => {
      const shown = (): string[] =>
        (desk.surface.tui!.history(0)['entries'] as { standing: { words: string } }[]).map(
          ({ standing }) => standing.words,
        );
      await desk.control.send('swallow-enter', { count: 1 });
      const result = await desk.surface.deliver(desk.prompt('please count to three'));
      expect(result.outcome).toBe('submitted');
      expect(shown()).toContain('a prompt is being typed');
      expect(shown()).not.toContain('draft in its composer');
      expect(desk.surface.observation().typing).toBeUndefined();
      await desk.ready();
      await desk.control.send('draft', { text: 'this is mine' });
      await desk.draft(/mine/);
      await expect.poll(() => shown().at(-1)).toBe('draft in its composer');
      await desk.control.send('draft', { text: '' });
    }));
});

describe('a person', () => {
  it('a person who types at a terminal of their own keeps everyone else out until they rest', () =>
    atDesk(house, async (desk) => {
      const person = new PersonAtClient().sitsAt(desk.place);
      const writing = person.writes('this is mine', desk.control.event('submitted'));
      await person.begun;
      const early = await desk.surface.deliver(desk.prompt('this is not'));
      expect(early).toMatchObject({ outcome: 'not_ready', untouched: true });
      await writing;
      await person.close();
      expect(desk.records('submitted')).toMatchObject([{ text: 'this is mine' }]);
    }));

  it('a person whose key comes at the very instant of typing has it to themselves, though it is not shown yet', async () => {
    const person = new PersonAtClient();
    await atDesk(house, async (desk) => {
      await person.attach(desk.place);
      for (let round = 0; round < 4; round++) {
        const text = `round ${round} of what must not be glued`;
        let pressed = false;
        const record = async (stage: Stage): Promise<void> => {
          if (stage !== 'typing') return;
          pressed = true;
          await desk.control.send('hang', { ms: 300 });
          void person.press('x');
          await new Promise((resolve) => setTimeout(resolve, 4 * round));
        };
        const once = async () => {
          await desk.ready();
          return desk.surface.deliver(desk.prompt(text, { record }));
        };
        let { outcome, untouched } = await once();
        // Refused before the instant this is about: the screen was drawn anew for whoever sat down.
        while (!pressed) ({ outcome, untouched } = await once());
        const draft = await desk.draft(/x/);
        // Behind our text only where the key came after it.
        expect(draft).toMatch(untouched || outcome === 'submitted' ? /^x$/ : /^(x|round.*x)$/);
        await desk.control.send('draft', { text: '' });
      }
      for (const { text } of desk.records('submitted'))
        expect(text).toMatch(/^round \d of what must not be glued$/);
    });
    await person.close();
  });

  it('who scrolls in copy mode is not disturbed', async () => {
    const person = new PersonAtClient();
    await atDesk(house, async (desk) => {
      await person.attach(desk.place);
      await desk.control.send('busy', { ms: 600_000 });
      await desk.tmux(['copy-mode', '-t', `=${desk.session}:0`]);
      await desk.until(({ reasons }) => reasonTexts(reasons).includes("copy_mode='yes'"));
      expect(desk.surface.observation().keysWait).toEqual(readReason("copy_mode='yes'"));
      const refused = { outcome: 'not_ready', untouched: true };
      expect(await desk.surface.sendKeys({ requestId: 'k', sequence: 'x' })).toMatchObject(refused);
      expect(await desk.surface.interrupt('i')).toMatchObject(refused);
      expect(await desk.surface.deliver(desk.prompt('hello', { policy: 'always' }))).toMatchObject(refused);
      expect(desk.records('interrupted', 'submitted')).toEqual([]);
    });
    await person.close();
  });

  it('who left copy mode behind holds up nothing: it is left', () =>
    atDesk(house, async (desk) => {
      const copyMode = () => desk.tmux(['copy-mode', '-t', `=${desk.session}:0`]);
      const inMode = async () =>
        (await desk.tmux(['display-message', '-p', '-t', `=${desk.session}:0`, '#{pane_in_mode}'])).trim();
      await copyMode();
      expect(await inMode()).toBe('1');
      expect(await desk.surface.deliver(desk.prompt('nobody is reading'))).toMatchObject({
        outcome: 'submitted',
      });
      await desk.ready();
      await copyMode();
      await desk.surface.sendKeys({ requestId: 'k', sequence: '[[turn=600s]] work<[Enter]>' });
      await desk.until(({ busy }) => busy);
      await copyMode();
      expect(await desk.surface.interrupt('i')).toMatchObject({ outcome: 'submitted', reasons: [] });
      expect(desk.records('interrupted')).toHaveLength(1);
      expect(await inMode()).toBe('0');
    }));
});

describe('a screen nobody recognises', () => {
  it('an unrecognised screen is called stalled in state and history after its time, and no longer once it is read again', async () => {
    const timings = { ...QUICK, unknown_to_stalled_timeout_seconds: 0.5 };
    await atDesk(
      house,
      async (desk) => {
        const tty = (
          await desk.tmux(['display-message', '-p', '-t', `=${desk.session}:0`, '#{pane_tty}'])
        ).trim();
        fs.writeFileSync(tty, '\u001b[2J\u001b[Hnothing that anybody knows');
        await desk.until(({ reasons }) => reasonTexts(reasons).includes("ready_posture='unknown'"));
        await desk.until(({ reasons }) => reasonTexts(reasons).includes("stalled='yes'"));
        const { tui } = desk.surface;
        expect(tuiState.parse(tui!.state())).toMatchObject({ turn: { phase: 'unknown' }, stalled: true });
        const before = tuiHistory.parse(tui!.history(2)).entries.map(({ stalled }) => stalled);
        expect(before).toEqual([false, true]);
        await desk.resize(90, 28);
        await desk.ready();
        expect(tuiState.parse(tui!.state())).toMatchObject({ turn: { phase: 'ready' }, stalled: false });
      },
      { surface: { timings } },
    );
  });
});

describe('keys asked for by name', () => {
  it('keys by name go into a dialog when a person says so, and it is on record', () =>
    atDesk(house, async (desk) => {
      await desk.control.send('open-dialog', { kind: 'permission' });
      await desk.until(({ reasons }) => reasonTexts(reasons).includes("dialog='permission'"));
      const result = await desk.surface.sendKeys({ requestId: 'k', sequence: '<[Down]><[Enter]>' });
      expect(result).toMatchObject({ outcome: 'submitted' });
      expect(result.evidence[0]?.facts).toMatchObject({ segments: 2, dialog: 'permission' });
      await desk.control.event('dialog_answered');
      expect(desk.records('key_in_dialog').map(({ key }) => key)).toEqual(['down', 'enter']);
    }));

  it('keys asked for by name say what was seen after them while a dialog was open, and nothing where none was', () =>
    atDesk(house, async (desk) => {
      const send = (sequence: string) => desk.surface.sendKeys({ requestId: 'k', sequence });
      expect((await send('<[Left]>')).dialogAfter).toBeUndefined();
      await desk.control.send('open-dialog', { kind: 'permission' });
      await desk.until(({ reasons }) => reasonTexts(reasons).includes("dialog='permission'"));
      expect(await send('<[Left]>')).toMatchObject({
        dialogAfter: 'same',
        reasons: ['the dialog has not changed'],
      });
      expect(await send('<[Down]>')).toMatchObject({ dialogAfter: 'other' });
      const answered = await send('<[Enter]>');
      expect(answered).toMatchObject({ dialogAfter: 'gone', reasons: ['the dialog is gone'] });
      expect(answered.evidence[0]?.facts).toMatchObject({ dialog: 'permission', dialog_after: 'gone' });
      await desk.control.send('open-dialog', { kind: 'permission' });
      await desk.until(({ reasons }) => reasonTexts(reasons).includes("dialog='permission'"));
      await desk.control.send('hang');
      expect(await send('1')).toMatchObject({ dialogAfter: 'same' });
      await desk.control.send('unhang');
    }));

  it('keys asked for by name are typed exactly, without an Enter of our own', () =>
    atDesk(house, async (desk) => {
      const { mark } = desk.control;
      await desk.surface.sendKeys({ requestId: 'k', sequence: 'a; b <[Left]>c#{d}' });
      await desk.control.event('draft', ({ bytes }) => bytes === 10, mark);
      expect(await desk.control.send('status')).toMatchObject({ draft: { text: 'a; bc#{d} ' } });
    }));

  it('keys asked for by name with an unknown name are refused before anything is sent', () =>
    atDesk(house, async (desk) => {
      await expect(desk.surface.sendKeys({ requestId: 'k', sequence: 'abc<[escape]>' })).rejects.toThrow(
        /escape/,
      );
      expect(await desk.control.send('status')).toMatchObject({ draft: { bytes: 0 } });
    }));
});

describe('an interrupt', () => {
  it('an interrupt ends the running turn', () =>
    atDesk(house, async (desk) => {
      await desk.surface.deliver(desk.prompt('[[turn=600s]] [[delay=1ms]] [[words=5]] long work'));
      const result = await desk.surface.interrupt('i');
      expect(result).toMatchObject({ outcome: 'submitted', untouched: false });
      await desk.control.event('interrupted');
      expect(desk.records('interrupted')).toMatchObject([{ by: 'escape' }]);
    }));

  it('an interrupt sends no key when nothing runs', () =>
    atDesk(house, async (desk) => {
      expect(await desk.surface.interrupt('i')).toMatchObject({ outcome: 'submitted', untouched: true });
    }));
});

describe('an interrupt behind a prompt that waits for its proof', () => {
  it('an interrupt behind a prompt that waits for its proof is pressed at once, and the prompt is judged by what is seen then', () =>
    atDesk(
      house,
      async (desk) => {
        await desk.surface.deliver(desk.prompt('[[turn=10ms]] before'));
        await desk.ready();
        await desk.control.send('lose-prompt');
        let over = false;
        const lost = desk.surface.deliver(desk.prompt('this one is lost')).finally(() => {
          over = true;
        });
        await desk.control.event('prompt_lost');
        await desk.control.send('busy', { ms: 600_000 });
        await desk.until(({ busy }) => busy);
        expect(await desk.surface.interrupt('i')).toMatchObject({ outcome: 'submitted', untouched: false });
        expect(over).toBe(false);
        expect(desk.records('interrupted')).toMatchObject([{ by: 'escape' }]);
        const { outcome, reasons } = await lost;
        expect([outcome, reasons[0]]).toEqual(['unconfirmed', 'an interrupt came before it was proven']);
        expect(desk.records('submitted')).toHaveLength(1);
      },
      { surface: { patience: { proofMs: 6_000 } } },
    ));

  it('an interrupt behind a prompt that waits for its proof ends also a turn that begins after the keys', () =>
    atDesk(house, async (desk) => {
      await desk.control.send('swallow-enter', { count: 1 });
      const swallowed = desk.surface.deliver(desk.prompt('its Enter comes late'));
      await desk.control.event('enter_swallowed');
      const interrupt = desk.surface.interrupt('i');
      await desk.shows('esc again to clear');
      await desk.control.send('busy', { ms: 600_000 });
      await desk.control.event('interrupted');
      expect(await interrupt).toMatchObject({ outcome: 'submitted', reasons: [] });
      expect(await swallowed).toMatchObject({ outcome: 'unconfirmed' });
    }));

  it('an interrupt behind a prompt that waits for its proof lets it be proven when the tool was only slow, and ends its turn', () =>
    atDesk(house, async (desk) => {
      await desk.control.send('slow-redraw', { ms: 1500 });
      const slow = desk.surface.deliver(desk.prompt('[[turn=600s]] [[delay=1ms]] [[words=5]] slow to show'));
      await desk.control.event('submitted');
      await desk.surface.interrupt('i');
      await desk.control.event('interrupted');
      expect(await slow).toMatchObject({ outcome: 'submitted' });
      expect(desk.records('submitted')).toHaveLength(1);
    }));

  it('an interrupt behind a prompt that waits for its proof leaves nothing of it in the composer when its Enter was swallowed, and presses no second one', () =>
    atDesk(house, async (desk) => {
      await desk.control.send('swallow-enter', { count: 1 });
      const swallowed = desk.surface.deliver(desk.prompt('its Enter is swallowed'));
      await desk.control.event('enter_swallowed');
      await desk.surface.interrupt('i');
      expect(await swallowed).toMatchObject({
        outcome: 'unconfirmed',
        reasons: ['an interrupt came before it was proven', 'the text was taken back'],
      });
      expect(desk.records('submitted')).toEqual([]);
      expect(await desk.control.send('status')).toMatchObject({ draft: { bytes: 0 } });
    }));
});

describe('the surface', () => {
  it('the surface reports its state as the contract says, at every moment', () =>
    atDesk(
      house,
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
        await desk.until(({ reasons }) => reasonTexts(reasons).includes("dialog='permission'"));
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

  it('the surface takes away what a killed sender has left in tmux, and nothing else', async () => {
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

  it('the surface says that the session is lost when it is', () =>
    atDesk(house, async (desk) => {
      const lost = desk.until(({ sessionLost }) => sessionLost);
      await desk.tmux(['kill-session', '-t', `=${desk.session}`]);
      await lost;
      expect(desk.surface.observation()).toMatchObject({ connectivity: 'unavailable', ready: false });
      expect(tuiState.parse(desk.surface.tui?.state())).toMatchObject({
        diagnostics: { availability: 'unavailable', transport_state: 'tmux_missing' },
      });
    }));

  it('the surface comes back when its client was detached', () =>
    atDesk(house, async (desk) => {
      const clients = await desk.tmux(['list-clients', '-t', `=${desk.session}`, '-F', '#{client_name}']);
      for (const client of clients.trim().split('\n'))
        await desk.tmux(['detach-client', '-t', client]).catch(() => {});
      // It may not have noticed yet, or be on its way back; then nothing was typed.
      const prompt = desk.prompt('still there?');
      await expect
        .poll(async () => (await desk.surface.deliver(prompt)).outcome, { timeout: 30_000 })
        .toBe('submitted');
      expect(desk.records('submitted')).toHaveLength(1);
    }));

  it('the surface is not ready for a tool that has no description', async () => {
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
