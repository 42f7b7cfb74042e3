import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readReason, reasonTexts } from '../../src/domain/index.ts';
import { TestWorld } from '../support/test-world.ts';
import { PersonAtClient } from '../terminal/person-at-client.ts';
import { CaoPane } from './cao-pane.ts';
import type { CaoVersion } from './stand-in-cao.ts';

let world: TestWorld;
let pane: CaoPane;
beforeAll(() => {
  world = new TestWorld();
  // Without it the tmux server ends with its last session, perhaps just when the next one is made.
  world.tmux('new-session', '-d', '-s', 'stays', 'cat');
});
afterEach(() => pane?.close());
afterAll(async () => {
  await world.close();
});

async function inPane(options: { version?: CaoVersion; flags?: string[] } = {}): Promise<CaoPane> {
  pane = await CaoPane.open(world, options);
  await pane.ready();
  return pane;
}

const types = (asked: string[]): string[] => asked.map((each) => each.replace(/\?.*/, '').split('/').at(-1)!);

describe.each(['v1.1.1', 'v2.0.0', 'v2.4.1', 'main'] as const)('a prompt through CAO %s', (version) => {
  it('a prompt to an agent of CAO is typed by CAO and proven by our own observation, and its turn is seen', async () => {
    const { terminal, recorded, cao } = await inPane({ version });
    const result = await pane.prompt('first line\nsecond “line” & more?');
    expect(result).toMatchObject({ outcome: 'submitted', untouched: false });
    expect(terminal.submitted()).toEqual(['first line\nsecond “line” & more?']);
    expect(types(pane.typings())).toEqual(['input']);
    expect(recorded.slice(0, 3)).toEqual(['typing', 'typed', 'submitted']);
    await pane.ready();
    expect(cao.asked.filter((each) => each.includes('status=pending')).length).toBeGreaterThan(0);
    expect(await terminal.fact('#{pane_pipe} #{window_name} #{window_width}x#{window_height}')).toBe(
      `1 ${terminal.window} 120x40`,
    );
  });
});

describe('what CAO does, and what Rouse says', () => {
  it('1: a URL of 64 KiB is cut off and answered with success; Rouse sends none', async () => {
    await inPane();
    const said = await fetch(
      `${pane.cao.url}/terminals/${pane.terminal.id}/input?message=${'x'.repeat(66_000)}`,
      {
        method: 'POST',
      },
    );
    expect(await said.json()).toEqual({ success: true });
    await world.until(() => pane.terminal.submitted().length === 1);
    expect(pane.terminal.submitted()[0]!.length).toBeLessThan(1000);
    await pane.ready();
    const before = pane.typings().length;
    const refused = await pane.prompt('y'.repeat(61_000));
    expect(refused).toMatchObject({ outcome: 'refused', untouched: true });
    expect(reasonTexts(refused.reasons).join()).toMatch(/60000 bytes/);
    expect(pane.typings().length).toBe(before);
    // Counted encoded: each of these is six bytes of the URL.
    expect((await pane.prompt('é'.repeat(10_000))).outcome).toBe('refused');
    expect((await pane.prompt('z'.repeat(20_000))).outcome).toBe('submitted');
    expect(pane.terminal.submitted().at(-1)).toHaveLength(20_000);
  });

  it('2: CAO types into a busy agent; Rouse waits', async () => {
    await inPane();
    await pane.prompt('[[hang]] long');
    await pane.until(({ busy }) => busy);
    const before = pane.typings().length;
    const refused = await pane.prompt('not now');
    expect(refused).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(pane.typings().length).toBe(before);
    await pane.surface.interrupt('i');
    expect(types(pane.typings()).slice(before)).toContain('key');
    expect(pane.typings().join()).not.toContain('/exit');
    await pane.ready();
    expect((await pane.prompt('now')).outcome).toBe('submitted');
    expect(pane.terminal.submitted()).toEqual(['[[hang]] long', 'now']);
  });

  it.each(['v1.1.1', 'main'] as const)(
    '2: a shell that is left is typed into by CAO %s, not by Rouse',
    async (version) => {
      await inPane({ version });
      await pane.prompt('[[exit=0]] bye');
      const gone = await pane.until(({ connectivity }) => connectivity === 'unavailable');
      expect(gone.owner).toMatchObject({ state: 'agent_ended' });
      await pane.terminal.shows(/shell\$/);
      const before = pane.typings().length;
      expect(await pane.prompt('echo TYPED_INTO_A_SHELL')).toMatchObject({
        outcome: 'not_ready',
        untouched: true,
      });
      expect((await pane.surface.sendKeys({ requestId: 'k', sequence: 'ls<[Enter]>' })).outcome).not.toBe(
        'submitted',
      );
      expect(pane.typings().length).toBe(before);
      expect(await pane.terminal.screen()).not.toContain('TYPED_INTO_A_SHELL');
    },
  );

  it('2: an agent in error is refused by CAO with 409, and nothing is reported as submitted', async () => {
    await inPane();
    pane.terminal.latched = undefined;
    pane.terminal.pretends = 'error';
    const { outcome, reasons, untouched } = await pane.prompt('hello');
    expect({ outcome, reasons, untouched }).toEqual({
      outcome: 'not_ready',
      reasons: [readReason("cao_status='error'")],
      untouched: true,
    });
    // Between our check and its typing.
    pane.terminal.pretends = undefined;
    pane.terminal.latched = undefined;
    await pane.ready();
    pane.cao.instead = (path) =>
      path.endsWith('/input') ? { status: 409, body: { detail: 'provider is in ERROR state' } } : undefined;
    const late = await pane.prompt('hello');
    expect(late).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(reasonTexts(late.reasons).join()).toMatch(/409: provider is in ERROR state/);
    expect(pane.terminal.submitted()).toEqual([]);
  });

  it('neither CAO nor Rouse answers a dialog', async () => {
    await inPane();
    await pane.prompt('[[dialog=permission]] may I');
    await pane.until(({ reasons }) => reasons.some(({ code }) => code === 'dialog'));
    const before = pane.typings().length;
    for (const policy of ['ready_only', 'always'] as const)
      expect(await pane.prompt('no', { policy })).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(pane.typings().length).toBe(before);
  });

  it('3: a turn begun behind CAO’s back leaves its status completed; Rouse sees the turn', async () => {
    await inPane();
    await pane.prompt('first');
    await pane.ready();
    await pane.terminal.paste('[[hang]] by hand');
    await pane.terminal.press('Enter');
    const busy = await pane.until((now) => now.busy);
    expect(busy.owner).toMatchObject({ state: 'ok', status: 'completed' });
    expect((await pane.prompt('no')).outcome).toBe('not_ready');
    expect(pane.terminal.submitted()).toEqual(['first', '[[hang]] by hand']);
  });

  it('4: after a restart CAO reports unknown for ever; our own observation decides, and it still types', async () => {
    await inPane();
    await pane.cao.stop();
    const away = await pane.prompt('while it is away');
    expect(away).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect((await pane.until(({ ready }) => !ready)).reasons).toEqual([readReason("cao='unreachable'")]);
    expect(pane.surface.observation()).toMatchObject({
      connectivity: 'connected',
      owner: { state: 'unreachable' },
    });
    await pane.cao.restart();
    const back = await pane.ready();
    expect(back.owner).toMatchObject({ state: 'unobserved', status: 'unknown' });
    expect((await pane.prompt('after it')).outcome).toBe('submitted');
    // Then its own mail stays pending for ever, and delays no one.
    const mail = `${pane.cao.url}/terminals/${pane.terminal.id}/inbox/messages?sender_id=a&message=m`;
    await fetch(mail, { method: 'POST' });
    await pane.ready();
    expect((await pane.prompt('and again')).outcome).toBe('submitted');
    expect(pane.cao.mail).toMatchObject([{ status: 'pending' }]);
    expect(pane.terminal.submitted()).toEqual(['after it', 'and again']);
  });

  it('5: CAO answers 200 for a window that is gone; Rouse says so', async () => {
    await inPane();
    await pane.terminal.place.tmux(['new-window', '-d', '-t', `=${pane.terminal.session}:`, 'cat']);
    await pane.terminal.place.tmux(['kill-window', '-t', pane.terminal.target]);
    const gone = await pane.until(({ connectivity }) => connectivity === 'unavailable');
    expect(gone).toMatchObject({ sessionLost: false, owner: { state: 'window_gone' } });
    expect(gone.unavailableReason).toContain(`no window named "${pane.terminal.window}"`);
    expect((await fetch(`${pane.cao.url}/terminals/${pane.terminal.id}`)).status).toBe(200);
    expect((await pane.prompt('hello')).untouched).toBe(true);
    expect(pane.typings()).toEqual([]);
  });

  it('a terminal that CAO no longer knows is not mistaken for one that is gone', async () => {
    await inPane();
    pane.cao.terminals.length = 0;
    expect(await pane.prompt('hello')).toMatchObject({
      outcome: 'not_ready',
      reasons: [readReason("cao_terminal='unknown'")],
      untouched: true,
    });
    expect(pane.surface.observation()).toMatchObject({
      connectivity: 'unavailable',
      owner: { state: 'terminal_unknown' },
    });
  });

  it('6: mail that CAO is about to paste goes first', async () => {
    await inPane();
    await pane.prompt('[[hang]] busy');
    await pane.until(({ busy }) => busy);
    // CAO sees the turn by itself, sooner or later than we do.
    const terminal = `${pane.cao.url}/terminals/${pane.terminal.id}`;
    const status = async () => ((await (await fetch(terminal)).json()) as { status: string }).status;
    await expect.poll(status, { timeout: 30_000 }).toBe('processing');
    const mail = `${terminal}/inbox/messages?sender_id=boss&message=hi`;
    await fetch(mail, { method: 'POST' });
    expect(pane.cao.mail).toMatchObject([{ status: 'pending' }]);
    await pane.terminal.control.send('end-turn');
    const waits = await pane.until(({ reasons }) => reasonTexts(reasons).includes(`cao_inbox='pending'`));
    expect(waits.ready).toBe(false);
    expect((await pane.prompt('ours')).reasons).toEqual([readReason("cao_inbox='pending'")]);
    await pane.cao.sweep();
    await pane.ready();
    expect((await pane.prompt('ours')).outcome).toBe('submitted');
    expect(pane.terminal.submitted()).toEqual(['[[hang]] busy', '[Message from boss] hi', 'ours']);
  });

  it('8: a renamed window is not found by CAO; nothing is asked of it', async () => {
    await inPane();
    await pane.terminal.place.tmux(['rename-window', '-t', pane.terminal.target, 'mine']);
    await pane.until(({ reasons }) => reasonTexts(reasons).includes(`cao_window='renamed'`));
    expect(await pane.prompt('hello')).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(pane.typings()).toEqual([]);
  });

  it('8: a pane that a person split off and works in is where CAO would type; nothing is asked of it', async () => {
    await inPane();
    await pane.terminal.place.tmux(['split-window', '-t', pane.terminal.target, 'sh']);
    await pane.until(({ reasons }) => reasonTexts(reasons).includes(`cao_pane='not active'`));
    expect(await pane.prompt('rm -rf x')).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(pane.typings()).toEqual([]);
  });

  it('8: of two windows of one name neither is typed into', async () => {
    await inPane();
    const { session, window, place } = pane.terminal;
    await place.tmux(['new-window', '-d', '-t', `=${session}:`, '-n', window, 'cat']);
    const { outcome, reasons, untouched } = await pane.prompt('which one');
    expect([outcome, reasons, untouched]).toEqual(['not_ready', [readReason("cao_window='another'")], true]);
    expect(pane.typings()).toEqual([]);
  });

  it('9: in copy mode CAO’s Enter is eaten; Rouse waits while a person reads, and leaves a forgotten copy mode', async () => {
    await inPane();
    const person = new PersonAtClient();
    await person.attach({ socket: world.socket, session: pane.terminal.session });
    await pane.terminal.place.tmux(['copy-mode', '-t', pane.terminal.target]);
    await pane.until(({ reasons }) => reasonTexts(reasons).includes(`copy_mode='yes'`));
    expect(await pane.prompt('hello')).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(pane.typings()).toEqual([]);
    await person.close();
    await pane.ready();
    expect((await pane.prompt('hello')).outcome).toBe('submitted');
  });

  it('9: copy mode that begins while CAO types leaves the text unsent: unconfirmed, then taken back', async () => {
    await inPane();
    const person = new PersonAtClient();
    await person.attach({ socket: world.socket, session: pane.terminal.session });
    await pane.ready();
    pane.cao.at = async (instant) => {
      if (instant === 'pasted') await pane.terminal.place.tmux(['copy-mode', '-t', pane.terminal.target]);
    };
    const { outcome, reasons } = await pane.prompt('eaten');
    expect([outcome, reasonTexts(reasons).join()]).toEqual(['unconfirmed', 'the pane is in copy mode']);
    expect(pane.recorded).not.toContain('submitted');
    pane.cao.at = () => {};
    await pane.terminal.place.tmux(['send-keys', '-X', '-t', pane.terminal.target, 'cancel']);
    await person.close();
    await pane.ready();
    expect(pane.terminal.submitted()).toEqual([]);
    expect((await pane.prompt('next')).outcome).toBe('submitted');
    expect(pane.terminal.submitted()).toEqual(['next']);
  });

  it('10: nothing is sent with an Origin, nor beyond this host', async () => {
    await inPane();
    const foreign = await fetch(`${pane.cao.url}/terminals/${pane.terminal.id}/input?message=x`, {
      method: 'POST',
      headers: { origin: 'http://evil.example' },
    });
    expect(foreign.status).toBe(403);
    expect((await pane.prompt('hello')).outcome).toBe('submitted');
  });
});

it('what fails after CAO has typed is never reported as untouched', async () => {
  await inPane();
  const record = async (stage: string): Promise<void> => {
    if (stage === 'typed') throw new Error('the disk is full');
  };
  const { outcome, untouched, reasons } = await pane.prompt('once', { record });
  expect([outcome, untouched, reasonTexts(reasons).join()]).toEqual([
    'unconfirmed',
    false,
    expect.stringMatching(/disk is full/),
  ]);
  expect(types(pane.typings())).toEqual(['input']);
});

describe('an answer that is lost', () => {
  it.each(['entered', 'pasted', 'asked'] as const)(
    'an answer that is lost after CAO has %s is never followed by a second try',
    async (when) => {
      await inPane();
      pane.cao.at = (instant) => (instant === when ? 'drop' : undefined);
      const { outcome, reasons, untouched } = await pane.prompt('once');
      expect(untouched).toBe(false);
      expect(types(pane.typings())).toEqual(['input']);
      if (when === 'entered') expect([outcome, reasons]).toEqual(['submitted', []]);
      else
        expect([outcome, reasons[0]]).toEqual([
          'unconfirmed',
          expect.stringMatching(/not known: its answer was lost/),
        ]);
      pane.cao.at = () => {};
      await pane.ready();
      expect(pane.terminal.submitted()).toEqual(when === 'entered' ? ['once'] : []);
      expect((await pane.prompt('next')).outcome).toBe('submitted');
    },
  );
});
