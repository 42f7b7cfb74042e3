import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readReason, reasonTexts } from '../../src/domain/index.ts';
import { TestWorld } from '../support/test-world.ts';
import { PersonAtClient } from '../terminal/person-at-client.ts';
import { CaoDesk } from './cao-desk.ts';
import type { CaoVersion } from './stand-in-cao.ts';

let house: TestWorld;
let desk: CaoDesk;
beforeAll(() => {
  house = new TestWorld();
  // Without it the tmux server ends with its last session, perhaps just when the next one is made.
  house.tmux('new-session', '-d', '-s', 'stays', 'cat');
});
afterEach(() => desk?.close());
afterAll(async () => {
  await house.close();
});

async function atDesk(options: { version?: CaoVersion; flags?: string[] } = {}): Promise<CaoDesk> {
  desk = await CaoDesk.open(house, options);
  await desk.ready();
  return desk;
}

const types = (asked: string[]): string[] => asked.map((each) => each.replace(/\?.*/, '').split('/').at(-1)!);

describe.each(['v1.1.1', 'v2.0.0', 'v2.4.1', 'main'] as const)('a prompt through CAO %s', (version) => {
  it('a prompt to an agent of CAO is typed by CAO and proven by our own observation, and its turn is seen', async () => {
    const { terminal, told, cao } = await atDesk({ version });
    const result = await desk.prompt('first line\nsecond “line” & more?');
    expect(result).toMatchObject({ outcome: 'submitted', untouched: false });
    expect(terminal.submitted()).toEqual(['first line\nsecond “line” & more?']);
    expect(types(desk.typings())).toEqual(['input']);
    expect(told.slice(0, 3)).toEqual(['typing', 'typed', 'submitted']);
    await desk.ready();
    expect(cao.asked.filter((each) => each.includes('status=pending')).length).toBeGreaterThan(0);
    expect(await terminal.fact('#{pane_pipe} #{window_name} #{window_width}x#{window_height}')).toBe(
      `1 ${terminal.window} 120x40`,
    );
  });
});

describe('what CAO does, and what Rouse says', () => {
  it('1: a URL of 64 KiB is cut off and answered with success; Rouse sends none', async () => {
    await atDesk();
    const said = await fetch(
      `${desk.cao.url}/terminals/${desk.terminal.id}/input?message=${'x'.repeat(66_000)}`,
      {
        method: 'POST',
      },
    );
    expect(await said.json()).toEqual({ success: true });
    await house.until(() => desk.terminal.submitted().length === 1);
    expect(desk.terminal.submitted()[0]!.length).toBeLessThan(1000);
    await desk.ready();
    const before = desk.typings().length;
    const refused = await desk.prompt('y'.repeat(61_000));
    expect(refused).toMatchObject({ outcome: 'refused', untouched: true });
    expect(reasonTexts(refused.reasons).join()).toMatch(/60000 bytes/);
    expect(desk.typings().length).toBe(before);
    // Counted as it is encoded: each of these is six bytes of the URL.
    expect((await desk.prompt('é'.repeat(10_000))).outcome).toBe('refused');
    expect((await desk.prompt('z'.repeat(20_000))).outcome).toBe('submitted');
    expect(desk.terminal.submitted().at(-1)).toHaveLength(20_000);
  });

  it('2: CAO types into a busy agent; Rouse waits', async () => {
    await atDesk();
    await desk.prompt('[[hang]] long');
    await desk.until(({ busy }) => busy);
    const before = desk.typings().length;
    const refused = await desk.prompt('not now');
    expect(refused).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(desk.typings().length).toBe(before);
    await desk.surface.interrupt('i');
    expect(types(desk.typings()).slice(before)).toContain('key');
    expect(desk.typings().join()).not.toContain('/exit');
    await desk.ready();
    expect((await desk.prompt('now')).outcome).toBe('submitted');
    expect(desk.terminal.submitted()).toEqual(['[[hang]] long', 'now']);
  });

  it.each(['v1.1.1', 'main'] as const)(
    '2: a shell that is left is typed into by CAO %s, not by Rouse',
    async (version) => {
      await atDesk({ version });
      await desk.prompt('[[exit=0]] bye');
      const gone = await desk.until(({ connectivity }) => connectivity === 'unavailable');
      expect(gone.owner).toMatchObject({ state: 'agent_ended' });
      await desk.terminal.shows(/shell\$/);
      const before = desk.typings().length;
      expect(await desk.prompt('echo TYPED_INTO_A_SHELL')).toMatchObject({
        outcome: 'not_ready',
        untouched: true,
      });
      expect((await desk.surface.sendKeys({ requestId: 'k', sequence: 'ls<[Enter]>' })).outcome).not.toBe(
        'submitted',
      );
      expect(desk.typings().length).toBe(before);
      expect(await desk.terminal.screen()).not.toContain('TYPED_INTO_A_SHELL');
    },
  );

  it('2: an agent in error is refused by CAO with 409, and nothing is said to be submitted', async () => {
    await atDesk();
    desk.terminal.latched = undefined;
    desk.terminal.pretends = 'error';
    const { outcome, reasons, untouched } = await desk.prompt('hello');
    expect({ outcome, reasons, untouched }).toEqual({
      outcome: 'not_ready',
      reasons: [readReason("cao_status='error'")],
      untouched: true,
    });
    // Between our question and its typing.
    desk.terminal.pretends = undefined;
    desk.terminal.latched = undefined;
    await desk.ready();
    desk.cao.instead = (path) =>
      path.endsWith('/input') ? { status: 409, body: { detail: 'provider is in ERROR state' } } : undefined;
    const late = await desk.prompt('hello');
    expect(late).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(reasonTexts(late.reasons).join()).toMatch(/409: provider is in ERROR state/);
    expect(desk.terminal.submitted()).toEqual([]);
  });

  it('neither CAO nor Rouse answers a dialog', async () => {
    await atDesk();
    await desk.prompt('[[dialog=permission]] may I');
    await desk.until(({ reasons }) => reasons.some(({ code }) => code === 'dialog'));
    const before = desk.typings().length;
    for (const policy of ['ready_only', 'always'] as const)
      expect(await desk.prompt('no', { policy })).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(desk.typings().length).toBe(before);
  });

  it('3: a turn begun behind CAO’s back leaves its status completed; Rouse sees the turn', async () => {
    await atDesk();
    await desk.prompt('first');
    await desk.ready();
    await desk.terminal.paste('[[hang]] by hand');
    await desk.terminal.press('Enter');
    const busy = await desk.until((now) => now.busy);
    expect(busy.owner).toMatchObject({ state: 'ok', status: 'completed' });
    expect((await desk.prompt('no')).outcome).toBe('not_ready');
    expect(desk.terminal.submitted()).toEqual(['first', '[[hang]] by hand']);
  });

  it('4: after a restart CAO says unknown for ever; our own sight decides, and it still types', async () => {
    await atDesk();
    await desk.cao.stop();
    const away = await desk.prompt('while it is away');
    expect(away).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect((await desk.until(({ ready }) => !ready)).reasons).toEqual([readReason("cao='unreachable'")]);
    expect(desk.surface.observation()).toMatchObject({
      connectivity: 'connected',
      owner: { state: 'unreachable' },
    });
    await desk.cao.restart();
    const back = await desk.ready();
    expect(back.owner).toMatchObject({ state: 'unobserved', status: 'unknown' });
    expect((await desk.prompt('after it')).outcome).toBe('submitted');
    // Its own mail stays pending for ever then, and holds up nobody.
    const mail = `${desk.cao.url}/terminals/${desk.terminal.id}/inbox/messages?sender_id=a&message=m`;
    await fetch(mail, { method: 'POST' });
    await desk.ready();
    expect((await desk.prompt('and again')).outcome).toBe('submitted');
    expect(desk.cao.mail).toMatchObject([{ status: 'pending' }]);
    expect(desk.terminal.submitted()).toEqual(['after it', 'and again']);
  });

  it('5: CAO answers 200 for a window that is gone; Rouse says so', async () => {
    await atDesk();
    await desk.terminal.place.tmux(['new-window', '-d', '-t', `=${desk.terminal.session}:`, 'cat']);
    await desk.terminal.place.tmux(['kill-window', '-t', desk.terminal.target]);
    const gone = await desk.until(({ connectivity }) => connectivity === 'unavailable');
    expect(gone).toMatchObject({ sessionLost: false, owner: { state: 'window_gone' } });
    expect(gone.unavailableReason).toContain(`no window named "${desk.terminal.window}"`);
    expect((await fetch(`${desk.cao.url}/terminals/${desk.terminal.id}`)).status).toBe(200);
    expect((await desk.prompt('hello')).untouched).toBe(true);
    expect(desk.typings()).toEqual([]);
  });

  it('a terminal that CAO no longer knows is not mistaken for one that is gone', async () => {
    await atDesk();
    desk.cao.terminals.length = 0;
    expect(await desk.prompt('hello')).toMatchObject({
      outcome: 'not_ready',
      reasons: [readReason("cao_terminal='unknown'")],
      untouched: true,
    });
    expect(desk.surface.observation()).toMatchObject({
      connectivity: 'unavailable',
      owner: { state: 'terminal_unknown' },
    });
  });

  it('6: mail that CAO is about to paste goes first', async () => {
    await atDesk();
    await desk.prompt('[[hang]] busy');
    await desk.until(({ busy }) => busy);
    // CAO sees the turn by itself, sooner or later than we do.
    const terminal = `${desk.cao.url}/terminals/${desk.terminal.id}`;
    const status = async () => ((await (await fetch(terminal)).json()) as { status: string }).status;
    await expect.poll(status, { timeout: 30_000 }).toBe('processing');
    const mail = `${terminal}/inbox/messages?sender_id=boss&message=hi`;
    await fetch(mail, { method: 'POST' });
    expect(desk.cao.mail).toMatchObject([{ status: 'pending' }]);
    await desk.terminal.control.send('end-turn');
    const waits = await desk.until(({ reasons }) => reasonTexts(reasons).includes(`cao_inbox='pending'`));
    expect(waits.ready).toBe(false);
    expect((await desk.prompt('ours')).reasons).toEqual([readReason("cao_inbox='pending'")]);
    await desk.cao.sweep();
    await desk.ready();
    expect((await desk.prompt('ours')).outcome).toBe('submitted');
    expect(desk.terminal.submitted()).toEqual(['[[hang]] busy', '[Message from boss] hi', 'ours']);
  });

  it('8: a renamed window is not found by CAO; nothing is asked of it', async () => {
    await atDesk();
    await desk.terminal.place.tmux(['rename-window', '-t', desk.terminal.target, 'mine']);
    await desk.until(({ reasons }) => reasonTexts(reasons).includes(`cao_window='renamed'`));
    expect(await desk.prompt('hello')).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(desk.typings()).toEqual([]);
  });

  it('8: a pane that a person split off and works in is where CAO would type; nothing is asked of it', async () => {
    await atDesk();
    await desk.terminal.place.tmux(['split-window', '-t', desk.terminal.target, 'sh']);
    await desk.until(({ reasons }) => reasonTexts(reasons).includes(`cao_pane='not active'`));
    expect(await desk.prompt('rm -rf x')).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(desk.typings()).toEqual([]);
  });

  it('8: of two windows of one name neither is typed into', async () => {
    await atDesk();
    const { session, window, place } = desk.terminal;
    await place.tmux(['new-window', '-d', '-t', `=${session}:`, '-n', window, 'cat']);
    const { outcome, reasons, untouched } = await desk.prompt('which one');
    expect([outcome, reasons, untouched]).toEqual(['not_ready', [readReason("cao_window='another'")], true]);
    expect(desk.typings()).toEqual([]);
  });

  it('9: in copy mode CAO’s Enter is eaten; Rouse waits while a person reads, and leaves a forgotten copy mode', async () => {
    await atDesk();
    const person = new PersonAtClient();
    await person.attach({ socket: house.socket, session: desk.terminal.session });
    await desk.terminal.place.tmux(['copy-mode', '-t', desk.terminal.target]);
    await desk.until(({ reasons }) => reasonTexts(reasons).includes(`copy_mode='yes'`));
    expect(await desk.prompt('hello')).toMatchObject({ outcome: 'not_ready', untouched: true });
    expect(desk.typings()).toEqual([]);
    await person.close();
    await desk.ready();
    expect((await desk.prompt('hello')).outcome).toBe('submitted');
  });

  it('9: copy mode that begins while CAO types leaves the text unsent: unconfirmed, then taken back', async () => {
    await atDesk();
    const person = new PersonAtClient();
    await person.attach({ socket: house.socket, session: desk.terminal.session });
    await desk.ready();
    desk.cao.at = async (instant) => {
      if (instant === 'pasted') await desk.terminal.place.tmux(['copy-mode', '-t', desk.terminal.target]);
    };
    const { outcome, reasons } = await desk.prompt('eaten');
    expect([outcome, reasonTexts(reasons).join()]).toEqual(['unconfirmed', 'the pane is in copy mode']);
    expect(desk.told).not.toContain('submitted');
    desk.cao.at = () => {};
    await desk.terminal.place.tmux(['send-keys', '-X', '-t', desk.terminal.target, 'cancel']);
    await person.close();
    await desk.ready();
    expect(desk.terminal.submitted()).toEqual([]);
    expect((await desk.prompt('next')).outcome).toBe('submitted');
    expect(desk.terminal.submitted()).toEqual(['next']);
  });

  it('10: nothing is sent with an Origin, nor beyond this host', async () => {
    await atDesk();
    const foreign = await fetch(`${desk.cao.url}/terminals/${desk.terminal.id}/input?message=x`, {
      method: 'POST',
      headers: { origin: 'http://evil.example' },
    });
    expect(foreign.status).toBe(403);
    expect((await desk.prompt('hello')).outcome).toBe('submitted');
  });
});

it('what fails after CAO has typed is never reported as untouched', async () => {
  await atDesk();
  const record = async (stage: string): Promise<void> => {
    if (stage === 'typed') throw new Error('the disk is full');
  };
  const { outcome, untouched, reasons } = await desk.prompt('once', { record });
  expect([outcome, untouched, reasonTexts(reasons).join()]).toEqual([
    'unconfirmed',
    false,
    expect.stringMatching(/disk is full/),
  ]);
  expect(types(desk.typings())).toEqual(['input']);
});

describe('an answer that is lost', () => {
  it.each(['entered', 'pasted', 'asked'] as const)(
    'an answer that is lost after CAO has %s is never followed by a second try',
    async (when) => {
      await atDesk();
      desk.cao.at = (instant) => (instant === when ? 'drop' : undefined);
      const { outcome, reasons, untouched } = await desk.prompt('once');
      expect(untouched).toBe(false);
      expect(types(desk.typings())).toEqual(['input']);
      if (when === 'entered') expect([outcome, reasons]).toEqual(['submitted', []]);
      else
        expect([outcome, reasons[0]]).toEqual([
          'unconfirmed',
          expect.stringMatching(/not known: its answer was lost/),
        ]);
      desk.cao.at = () => {};
      await desk.ready();
      expect(desk.terminal.submitted()).toEqual(when === 'entered' ? ['once'] : []);
      expect((await desk.prompt('next')).outcome).toBe('submitted');
    },
  );
});
