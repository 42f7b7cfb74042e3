import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { readReason, reasonTexts } from '../../src/domain/index.ts';
import { openSurface, type Stage } from '../../src/terminal/index.ts';
import { tuiHistory, tuiState } from '../../src/wire/index.ts';
import { ScriptedWorld } from '../scripted/scripted-world.ts';
import { PersonAtClient } from './person-at-client.ts';
import { inPane, QUICK, TestPane } from './test-pane.ts';

let world: ScriptedWorld;
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(() => world.close());

describe('what the lane types', () => {
  it("what the lane types is never shown as a person's draft, however long it is in the composer; a person's draft is", () =>
    inPane(world, async (pane) => {
      const shown = (): string[] =>
        (pane.surface.tui!.history(0)['entries'] as { standing: { words: string } }[]).map(
          ({ standing }) => standing.words,
        );
      await pane.control.send('swallow-enter', { count: 1 });
      const result = await pane.surface.deliver(pane.prompt('please count to three'));
      expect(result.outcome).toBe('submitted');
      expect(shown()).toContain('a prompt is being typed');
      expect(shown()).not.toContain('draft in its composer');
      expect(pane.surface.observation().typing).toBeUndefined();
      await pane.ready();
      await pane.control.send('draft', { text: 'this is mine' });
      await pane.draft(/mine/);
      await expect.poll(() => shown().at(-1)).toBe('draft in its composer');
      await pane.control.send('draft', { text: '' });
    }));
});

describe('a person', () => {
  it('a person who types at their own terminal keeps the lane out until they pause', () =>
    inPane(world, async (pane) => {
      const person = new PersonAtClient().sitsAt(pane.place);
      const writing = person.writes('this is mine', pane.control.event('submitted'));
      await person.begun;
      const early = await pane.surface.deliver(pane.prompt('this is not'));
      expect(early).toMatchObject({ outcome: 'not_ready', untouched: true });
      await writing;
      await person.close();
      expect(pane.records('submitted')).toMatchObject([{ text: 'this is mine' }]);
    }));

  it('a person’s key at the very instant of typing keeps the lane out, although it is not shown yet', async () => {
    const person = new PersonAtClient();
    await inPane(world, async (pane) => {
      await person.attach(pane.place);
      for (let round = 0; round < 4; round++) {
        const text = `round ${round} of what must not be glued`;
        let pressed = false;
        const record = async (stage: Stage): Promise<void> => {
          if (stage !== 'typing') return;
          pressed = true;
          await pane.control.send('hang', { ms: 300 });
          void person.press('x');
          await new Promise((resolve) => setTimeout(resolve, 4 * round));
        };
        const once = async () => {
          await pane.ready();
          return pane.surface.deliver(pane.prompt(text, { record }));
        };
        let { outcome, untouched } = await once();
        // Refused too early for this test: the screen was drawn again for the attached person.
        while (!pressed) ({ outcome, untouched } = await once());
        const draft = await pane.draft(/x/);
        // The key is after our text only if it came later.
        expect(draft).toMatch(untouched || outcome === 'submitted' ? /^x$/ : /^(x|round.*x)$/);
        await pane.control.send('draft', { text: '' });
      }
      for (const { text } of pane.records('submitted'))
        expect(text).toMatch(/^round \d of what must not be glued$/);
    });
    await person.close();
  });

  it('a person who scrolls in copy mode is not disturbed', async () => {
    const person = new PersonAtClient();
    await inPane(world, async (pane) => {
      await person.attach(pane.place);
      await pane.control.send('busy', { ms: 600_000 });
      await pane.tmux(['copy-mode', '-t', `=${pane.session}:0`]);
      await pane.until(({ reasons }) => reasonTexts(reasons).includes("copy_mode='yes'"));
      expect(pane.surface.observation().keysWait).toEqual(readReason("copy_mode='yes'"));
      const refused = { outcome: 'not_ready', untouched: true };
      expect(await pane.surface.sendKeys({ requestId: 'k', sequence: 'x' })).toMatchObject(refused);
      expect(await pane.surface.interrupt('i')).toMatchObject(refused);
      expect(await pane.surface.deliver(pane.prompt('hello', { policy: 'always' }))).toMatchObject(refused);
      expect(pane.records('interrupted', 'submitted')).toEqual([]);
    });
    await person.close();
  });

  it('copy mode without an attached client is left, so it blocks nothing', () =>
    inPane(world, async (pane) => {
      const copyMode = () => pane.tmux(['copy-mode', '-t', `=${pane.session}:0`]);
      const inMode = async () =>
        (await pane.tmux(['display-message', '-p', '-t', `=${pane.session}:0`, '#{pane_in_mode}'])).trim();
      await copyMode();
      expect(await inMode()).toBe('1');
      expect(await pane.surface.deliver(pane.prompt('no one is reading'))).toMatchObject({
        outcome: 'submitted',
      });
      await pane.ready();
      await copyMode();
      await pane.surface.sendKeys({ requestId: 'k', sequence: '[[turn=600s]] work<[Enter]>' });
      await pane.until(({ busy }) => busy);
      await copyMode();
      expect(await pane.surface.interrupt('i')).toMatchObject({ outcome: 'submitted', reasons: [] });
      expect(pane.records('interrupted')).toHaveLength(1);
      expect(await inMode()).toBe('0');
    }));
});

describe('an unrecognised screen', () => {
  it('an unrecognised screen is called stalled in state and history after its time, and no longer once it is read again', async () => {
    const timings = { ...QUICK, unknown_to_stalled_timeout_seconds: 0.5 };
    await inPane(
      world,
      async (pane) => {
        const tty = (
          await pane.tmux(['display-message', '-p', '-t', `=${pane.session}:0`, '#{pane_tty}'])
        ).trim();
        fs.writeFileSync(tty, '\u001b[2J\u001b[Han unknown screen');
        await pane.until(({ reasons }) => reasonTexts(reasons).includes("ready_posture='unknown'"));
        await pane.until(({ reasons }) => reasonTexts(reasons).includes("stalled='yes'"));
        const { tui } = pane.surface;
        expect(tuiState.parse(tui!.state())).toMatchObject({ turn: { phase: 'unknown' }, stalled: true });
        const before = tuiHistory.parse(tui!.history(2)).entries.map(({ stalled }) => stalled);
        expect(before).toEqual([false, true]);
        await pane.resize(90, 28);
        await pane.ready();
        expect(tuiState.parse(tui!.state())).toMatchObject({ turn: { phase: 'ready' }, stalled: false });
      },
      { surface: { timings } },
    );
  });
});

describe('keys requested by name', () => {
  it('keys requested by name may go into a dialog, and that is recorded', () =>
    inPane(world, async (pane) => {
      await pane.control.send('open-dialog', { kind: 'permission' });
      await pane.until(({ reasons }) => reasonTexts(reasons).includes("dialog='permission'"));
      const result = await pane.surface.sendKeys({ requestId: 'k', sequence: '<[Down]><[Enter]>' });
      expect(result).toMatchObject({ outcome: 'submitted' });
      expect(result.evidence[0]?.facts).toMatchObject({ segments: 2, dialog: 'permission' });
      await pane.control.event('dialog_answered');
      expect(pane.records('key_in_dialog').map(({ key }) => key)).toEqual(['down', 'enter']);
    }));

  it('keys requested by name report what was seen after them if a dialog was open, and nothing otherwise', () =>
    inPane(world, async (pane) => {
      const send = (sequence: string) => pane.surface.sendKeys({ requestId: 'k', sequence });
      expect((await send('<[Left]>')).dialogAfter).toBeUndefined();
      await pane.control.send('open-dialog', { kind: 'permission' });
      await pane.until(({ reasons }) => reasonTexts(reasons).includes("dialog='permission'"));
      expect(await send('<[Left]>')).toMatchObject({
        dialogAfter: 'same',
        reasons: ['the dialog has not changed'],
      });
      expect(await send('<[Down]>')).toMatchObject({ dialogAfter: 'other' });
      const answered = await send('<[Enter]>');
      expect(answered).toMatchObject({ dialogAfter: 'gone', reasons: ['the dialog is gone'] });
      expect(answered.evidence[0]?.facts).toMatchObject({ dialog: 'permission', dialog_after: 'gone' });
      await pane.control.send('open-dialog', { kind: 'permission' });
      await pane.until(({ reasons }) => reasonTexts(reasons).includes("dialog='permission'"));
      await pane.control.send('hang');
      expect(await send('1')).toMatchObject({ dialogAfter: 'same' });
      await pane.control.send('unhang');
    }));

  it('keys requested by name are typed exactly, without an added Enter', () =>
    inPane(world, async (pane) => {
      const { mark } = pane.control;
      await pane.surface.sendKeys({ requestId: 'k', sequence: 'a; b <[Left]>c#{d}' });
      await pane.control.event('draft', ({ bytes }) => bytes === 10, mark);
      expect(await pane.control.send('status')).toMatchObject({ draft: { text: 'a; bc#{d} ' } });
    }));

  it('keys requested by an unknown name are refused before anything is sent', () =>
    inPane(world, async (pane) => {
      await expect(pane.surface.sendKeys({ requestId: 'k', sequence: 'abc<[escape]>' })).rejects.toThrow(
        /escape/,
      );
      expect(await pane.control.send('status')).toMatchObject({ draft: { bytes: 0 } });
    }));
});

describe('an interrupt', () => {
  it('an interrupt ends the running turn', () =>
    inPane(world, async (pane) => {
      await pane.surface.deliver(pane.prompt('[[turn=600s]] [[delay=1ms]] [[words=5]] long work'));
      const result = await pane.surface.interrupt('i');
      expect(result).toMatchObject({ outcome: 'submitted', untouched: false });
      await pane.control.event('interrupted');
      expect(pane.records('interrupted')).toMatchObject([{ by: 'escape' }]);
    }));

  it('an interrupt sends no key if nothing runs', () =>
    inPane(world, async (pane) => {
      expect(await pane.surface.interrupt('i')).toMatchObject({ outcome: 'submitted', untouched: true });
    }));
});

describe('an interrupt behind a prompt that waits for its proof', () => {
  it('an interrupt behind a prompt that waits for its proof is pressed at once, and the prompt is judged after it', () =>
    inPane(
      world,
      async (pane) => {
        await pane.surface.deliver(pane.prompt('[[turn=10ms]] before'));
        await pane.ready();
        await pane.control.send('lose-prompt');
        let over = false;
        const lost = pane.surface.deliver(pane.prompt('this one is lost')).finally(() => {
          over = true;
        });
        await pane.control.event('prompt_lost');
        await pane.control.send('busy', { ms: 600_000 });
        await pane.until(({ busy }) => busy);
        expect(await pane.surface.interrupt('i')).toMatchObject({ outcome: 'submitted', untouched: false });
        expect(over).toBe(false);
        expect(pane.records('interrupted')).toMatchObject([{ by: 'escape' }]);
        const { outcome, reasons } = await lost;
        expect([outcome, reasons[0]]).toEqual(['unconfirmed', 'an interrupt came before it was proven']);
        expect(pane.records('submitted')).toHaveLength(1);
      },
      { surface: { patience: { proofMs: 6_000 } } },
    ));

  it('an interrupt behind a prompt that waits for its proof also ends a turn that begins after the keys', () =>
    inPane(world, async (pane) => {
      await pane.control.send('swallow-enter', { count: 1 });
      const swallowed = pane.surface.deliver(pane.prompt('its Enter comes late'));
      await pane.control.event('enter_swallowed');
      const interrupt = pane.surface.interrupt('i');
      await pane.shows('esc again to clear');
      await pane.control.send('busy', { ms: 600_000 });
      await pane.control.event('interrupted');
      expect(await interrupt).toMatchObject({ outcome: 'submitted', reasons: [] });
      expect(await swallowed).toMatchObject({ outcome: 'unconfirmed' });
    }));

  it('a slow prompt is still proven with an interrupt behind it, which ends its turn', () =>
    inPane(world, async (pane) => {
      await pane.control.send('slow-redraw', { ms: 1500 });
      const slow = pane.surface.deliver(pane.prompt('[[turn=600s]] [[delay=1ms]] [[words=5]] slow to show'));
      await pane.control.event('submitted');
      await pane.surface.interrupt('i');
      await pane.control.event('interrupted');
      expect(await slow).toMatchObject({ outcome: 'submitted' });
      expect(pane.records('submitted')).toHaveLength(1);
    }));

  it('a prompt whose Enter was swallowed is erased after an interrupt behind it, without a second Enter', () =>
    inPane(world, async (pane) => {
      await pane.control.send('swallow-enter', { count: 1 });
      const swallowed = pane.surface.deliver(pane.prompt('its Enter is swallowed'));
      await pane.control.event('enter_swallowed');
      await pane.surface.interrupt('i');
      expect(await swallowed).toMatchObject({
        outcome: 'unconfirmed',
        reasons: ['an interrupt came before it was proven', 'the text was taken back'],
      });
      expect(pane.records('submitted')).toEqual([]);
      expect(await pane.control.send('status')).toMatchObject({ draft: { bytes: 0 } });
    }));
});

describe('the surface', () => {
  it('the surface reports its state according to the contract at every moment', () =>
    inPane(
      world,
      async (pane) => {
        const { tui } = pane.surface;
        expect(tuiState.parse(tui?.state())).toMatchObject({
          terminal_id: pane.manifest.runtime?.session_id,
          diagnostics: { availability: 'available', process_state: 'tui_up', parse_status: 'parsed' },
          surface: { accepting_input: 'yes', editing_input: 'no', ready_posture: 'yes', pending_input: 'no' },
          turn: { phase: 'ready' },
          stability: { stable: true },
          submit_ready: true,
        });
        expect(tuiState.parse(tui?.notePrompt('typed by a person'))).toMatchObject({
          turn: { phase: 'active' },
          submit_ready: false,
        });
        await pane.surface.deliver(pane.prompt('[[dialog=permission]] ask', { policy: 'if_no_pending' }));
        await pane.until(({ reasons }) => reasonTexts(reasons).includes("dialog='permission'"));
        expect(tuiState.parse(tui?.state())).toMatchObject({
          parsed_surface: {
            business_state: 'awaiting_operator',
            input_mode: 'modal',
            ui_context: 'dialog_permission',
          },
        });
        await pane.control.send('crash-to-shell');
        await pane.until(({ connectivity }) => connectivity === 'unavailable');
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

  it('the surface removes what a killed sender left in tmux, and nothing else', async () => {
    const pane = new TestPane(world);
    await pane.begin();
    await pane.tmux(['load-buffer', '-b', 'rouse-0123456789abcdef', '-'], 'half a prompt');
    await pane.tmux(['load-buffer', '-b', 'a person’s', '-'], 'a person copied this');
    const later = { ...systemClock, now: () => new Date(Date.now() + 3_600_000) };
    const surface = openSurface({ ...pane.surfaceOptions(), clock: later });
    await surface.start();
    expect((await pane.tmux(['list-buffers', '-F', '#{buffer_name}'])).trim()).toBe('a person’s');
    await surface.close();
    await pane.tmux(['delete-buffer', '-b', 'a person’s']);
    await pane.close();
  });

  it('the surface reports a lost session', () =>
    inPane(world, async (pane) => {
      const lost = pane.until(({ sessionLost }) => sessionLost);
      await pane.tmux(['kill-session', '-t', `=${pane.session}`]);
      await lost;
      expect(pane.surface.observation()).toMatchObject({ connectivity: 'unavailable', ready: false });
      expect(tuiState.parse(pane.surface.tui?.state())).toMatchObject({
        diagnostics: { availability: 'unavailable', transport_state: 'tmux_missing' },
      });
    }));

  it('the surface comes back after its client was detached', () =>
    inPane(world, async (pane) => {
      const clients = await pane.tmux(['list-clients', '-t', `=${pane.session}`, '-F', '#{client_name}']);
      for (const client of clients.trim().split('\n'))
        await pane.tmux(['detach-client', '-t', client]).catch(() => {});
      // It may not have noticed yet, or may be reconnecting; then nothing was typed.
      const prompt = pane.prompt('still there?');
      await expect
        .poll(async () => (await pane.surface.deliver(prompt)).outcome, { timeout: 30_000 })
        .toBe('submitted');
      expect(pane.records('submitted')).toHaveLength(1);
    }));

  it('the surface is not ready for a tool without a description', async () => {
    const pane = new TestPane(world);
    pane.manifest.tool = 'something-new';
    pane.manifest.runtime = { agent_pid: await pane.begin() };
    await pane.open();
    const { ready, eligibility } = pane.surface.observation();
    expect({ ready, eligibility }).toEqual({ ready: false, eligibility: 'unknown' });
    const result = await pane.surface.deliver(pane.prompt('hello', { policy: 'always' }));
    expect(result).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(tuiState.parse(pane.surface.tui?.state())).toMatchObject({
      diagnostics: { parse_status: 'unsupported_tool' },
    });
    await pane.close();
  });
});
