import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, TestWorld, type WorldAgent } from '../support/test-world.ts';

/** A person's command line on the host of one scripted agent, whose dialogs are real screens in tmux. */
const world = new TestWorld();
let pam: WorldAgent;
beforeAll(async () => {
  pam = await world.agent('pam', ['--turn', '50ms']);
});
afterAll(() => world.close());

const answer = (...words: string[]): Promise<Ran> => world.rouse(['answer', 'pam', ...words]);
const dialog = async (): Promise<string | undefined> =>
  (await pam.client.call('tui.screen', { wait_seconds: 0 })).dialog?.title;

async function asks(title: string, options = ['Yes', 'No']): Promise<void> {
  await pam.control.send('open-dialog', { kind: 'question', title, options });
  await expect.poll(dialog).toBe(title);
}

async function closes(): Promise<void> {
  await pam.control.send('close-dialog', {});
  await expect.poll(dialog).toBeUndefined();
}

describe('rouse answer', { timeout: 120_000 }, () => {
  afterEach(async () => {
    if (await dialog()) await closes();
  });

  it('rouse answer shows what an agent asks with the choices, and presses the one that is chosen', async () => {
    await asks('Delete build?');
    const shown = await answer();
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('pam asks (question): Delete build?');
    expect(shown.stdout).toMatch(/^1 +Yes\n2 +No$/m);
    const { mark } = pam.control;
    const pressed = await answer('2');
    expect(pressed.stdout).toBe('Pressed 2 (No) for pam; the dialog is gone.\n');
    await pam.control.event('key_in_dialog', undefined, mark);
    expect(await dialog()).toBeUndefined();
  });

  it('rouse answer presses nothing in a dialog that was not shown, and shows it instead', async () => {
    await asks('Never shown?');
    const blind = await answer('1');
    expect(blind.code).toBe(5);
    expect(blind.stderr).toContain('nothing was pressed');
    expect(blind.stderr).toContain('pam asks (question): Never shown?');
    expect(await dialog()).toBe('Never shown?');
    await closes();
    await asks('Another one?');
    expect((await answer('1')).stderr).toContain('this is another dialog than the one shown before');
    expect(await dialog()).toBe('Another one?');
    expect((await answer('1')).code).toBe(0);
  });

  it('rouse answer shows a question again that is asked a second time, even in the same words', async () => {
    await asks('Once more?');
    await answer();
    expect((await answer('1')).code).toBe(0);
    await asks('Once more?');
    expect((await answer('1')).stderr).toContain('nothing was pressed');
    expect(await dialog()).toBe('Once more?');
  });

  it('rouse answer refuses a choice that the dialog does not offer, and an agent that shows no dialog', async () => {
    await asks('Which?', ['red', 'green']);
    await answer();
    expect(await answer('7')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('has no choice "7"'),
    });
    expect(await dialog()).toBe('Which?');
    await closes();
    expect(await answer()).toMatchObject({ code: 5, stderr: expect.stringContaining('pam shows no dialog') });
  });

  it('rouse ls names the command that answers, and it works', async () => {
    await asks('Go on?');
    await expect
      .poll(async () => (await world.json('ls')).agents[0].needs_you)
      .toBe('it asks a question; answer with "rouse answer pam"');
    expect((await answer()).code).toBe(0);
  });

  it('rouse answer keeps what it showed in a private file of bounded size', async () => {
    await asks('Private?');
    await answer();
    const file = path.join(world.home, 'config', 'shown-dialogs.json');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    fs.writeFileSync(file, '{ damaged');
    expect((await answer('1')).stderr).toContain('nothing was pressed');
    expect((await answer('1')).code).toBe(0);
  });

  it('rouse answer does not send a mistyped verdict to the other side of a request', async () => {
    const id = '0198c0de-7a2b-7e11-9c3d-0123456789ab';
    const ran = await world.rouse(['answer', id, 'aprove']);
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`did you mean: rouse answer ${id} approve`),
    });
  });
});
