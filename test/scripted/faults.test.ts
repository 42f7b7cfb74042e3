import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprint } from '../support/scripted-agent.ts';
import { ScriptedWorld } from './scripted-world.ts';

let world: ScriptedWorld;
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(() => world.close());

const sha = (text: string): string => fingerprint(text).sha256;

describe('faults on demand', () => {
  it('a swallowed Enter leaves the text visible in the composer and sends nothing', async () => {
    const pane = await world.start();
    await pane.control.send('swallow-enter');
    await pane.paste('still here');
    await pane.drafted('still here', sha('still here'));
    await pane.press('Enter');
    await pane.control.event('enter_swallowed');
    await pane.shows(/^❯ still here$/m);
    expect(pane.records('submitted')).toEqual([]);
    await pane.press('Enter');
    await pane.control.event('submitted');
    expect(pane.records('submitted')).toMatchObject([{ text: 'still here' }]);
  });

  it('a dialog takes no paste, and the Enter after it says Yes; both are on record', async () => {
    const pane = await world.start();
    await pane.type('a draft of a person');
    await pane.drafted('a draft of a person', sha('a draft of a person'));
    await pane.control.send('open-dialog', { kind: 'permission', detail: 'rm -rf build' });
    await pane.shows(/rm -rf build[\s\S]*❯ 1\. Yes/);
    expect(await pane.fact('#{pane_title}')).toContain('Action Required');
    expect(await pane.fact('#{cursor_flag}')).toBe('0');
    await pane.paste('a whole prompt\nof two lines');
    await pane.press('Enter');
    await pane.control.event('dialog_answered');
    expect(pane.records('key_in_dialog')).toMatchObject([
      { key: 'paste', text: 'a whole prompt\nof two lines' },
      { key: 'enter' },
    ]);
    expect(pane.records('dialog_answered')).toMatchObject([{ answer: 'yes', keys: 1, pastes: 1 }]);
    expect(pane.records('submitted')).toEqual([]);
    await pane.shows(/^❯ a draft of a person$/m);
  });

  it('input while busy is shown as pending and runs afterwards, one turn each', async () => {
    const pane = await world.start();
    await pane.control.send('busy', { ms: 600_000 });
    await pane.type('first later');
    await pane.press('Enter');
    await pane.type('second later');
    await pane.press('Enter');
    await pane.shows(/queued: first later[\s\S]*queued: second later/);
    await pane.control.send('end-turn');
    const second = await pane.control.event('submitted', (event) => event['sha256'] === sha('second later'));
    await pane.control.event('turn_finished', (event) => event['turn_id'] === second['turn_id']);
    expect(pane.records('submitted').map((each) => [each['text'], each['taken']])).toEqual([
      ['first later', 'queued'],
      ['second later', 'queued'],
    ]);
    expect(pane.records('turn_finished')).toHaveLength(3);
  });

  it('a crash falls back to the shell, with the terminal as it was', async () => {
    const pane = await world.start([], { shell: true });
    await pane.control.send('crash-to-shell', { code: 3 });
    await pane.shows(/scripted crash[\s\S]*shell\$/);
    expect(await pane.fact('#{alternate_on} #{cursor_flag} #{pane_current_command}')).toMatch(
      /^0 1 (sh|dash|bash)$/,
    );
    expect(pane.records('crashed')).toMatchObject([{ code: 3 }]);
    await pane.type('echo the $((40+2))');
    await pane.press('Enter');
    await pane.shows(/^the 42$/m);
  });

  it('a dirty crash leaves the shell on the alternate screen', async () => {
    const pane = await world.start([], { shell: true });
    await pane.type('[[crash=dirty]] now');
    await pane.press('Enter');
    await pane.shows(/shell\$/);
    expect(await pane.fact('#{alternate_on}')).toBe('1');
    expect(pane.records('submitted', 'turn_finished').map((each) => each.type)).toEqual(['submitted']);
  });

  it('a hung agent shows nothing and loses nothing', async () => {
    const pane = await world.start();
    await pane.control.send('hang');
    await pane.paste('sent into the void');
    await pane.press('Enter');
    expect(await pane.control.send('status')).toMatchObject({ state: 'hung', draft: { bytes: 0 } });
    expect(await pane.screen()).not.toContain('sent into');
    await pane.control.send('unhang');
    await pane.control.event('submitted');
    expect(pane.records('submitted')).toMatchObject([{ text: 'sent into the void' }]);
  });

  it('a slow redraw shows late what was taken at once', async () => {
    const pane = await world.start();
    await pane.control.send('slow-redraw', { ms: 1500 });
    await pane.paste('taken');
    await pane.drafted('taken', sha('taken'));
    expect(await pane.screen()).not.toContain('taken');
    await pane.shows(/^❯ taken$/m);
  });

  it('an ignored paste is gone although it was sent', async () => {
    const pane = await world.start();
    await pane.control.send('ignore-paste');
    await pane.paste('gone');
    await pane.control.event('paste_ignored');
    await pane.paste('kept');
    await pane.drafted('kept', sha('kept'));
  });

  it('a paste before the agent listens is echoed by the terminal and lost', async () => {
    const starting = world.start(['--start-delay', '1500ms', '--drop-early-input']);
    const early = await world.nextPane();
    await early.paste('too early');
    await early.shows(/too early/);
    const pane = await starting;
    expect(await pane.control.send('status')).toMatchObject({ state: 'ready', draft: { bytes: 0 } });
    expect(pane.records('submitted')).toEqual([]);
  });

  it('a limit banner appears and goes', async () => {
    const pane = await world.start();
    await pane.control.send('limit-banner', { text: 'You have hit your limit' });
    await pane.shows(/⚠ You have hit your limit/);
    await pane.control.send('clear-banner');
    await pane.shows(/^(?![\s\S]*hit your limit)/);
  });

  it('a script ties faults to events', async () => {
    const script = `${world.directory}/script.json`;
    const steps = [{ on: 'submitted', do: [{ type: 'open-dialog', kind: 'menu' }] }];
    fs.writeFileSync(script, JSON.stringify({ steps }));
    const pane = await world.start(['--script', script, '--turn', '0']);
    await pane.type('go');
    await pane.press('Enter');
    await pane.shows(/Select a model/);
    await pane.press('Down', 'Enter');
    await pane.control.event('dialog_answered', (event) => event['answer'] === 'Model two');
  });
});
