import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprint, PROCESS_TITLE } from '../support/scripted-agent.ts';
import { ScriptedWorld } from './scripted-world.ts';

let world: ScriptedWorld;
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(() => world.close());

const UNICODE = 'naïve café — 漢字 · 😀 👩‍💻 \t tab; "quotes" `ticks` $HOME \\ /etc/hosts @name !bang # ~ ';

/** Exactly that many bytes: lines of odd lengths, a nonce at the end. */
function promptOf(bytes: number, nonce: string, lines: boolean): string {
  const tail = ` [[turn=0]] ⟦rouse:${nonce}⟧`;
  const room = bytes - Buffer.byteLength(tail);
  let text = '';
  for (let line = 1; Buffer.byteLength(text) < room; line++) {
    text += `${line} ${UNICODE.repeat(1 + (line % 3))}${lines ? '\n' : ' '}`;
  }
  let cut = Buffer.from(text)
    .subarray(0, room)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  while (Buffer.byteLength(cut) < room) cut += '.';
  return cut + tail;
}

const SIZES = [200, 4096, 65_536];

describe.each(['plain', 'claude-like', 'gemini-like'])('a prompt sent to the %s skin', (skin) => {
  it.each(SIZES)('a pasted prompt arrives exactly: %i bytes of many lines', async (bytes) => {
    const pane = await world.start(['--skin', skin, '--burst', '0']);
    const prompt = promptOf(bytes, `paste-${bytes}`, true).replaceAll(
      '\t',
      skin === 'claude-like' ? '    ' : '\t',
    );
    const { sha256 } = fingerprint(prompt);
    await pane.paste(prompt);
    await pane.drafted(prompt, sha256);
    await pane.press('Enter');
    await pane.control.event('turn_finished');
    const [record, ...more] = pane.records('submitted');
    expect(more).toEqual([]);
    expect(record).toMatchObject({ sha256, how: 'pasted', nonces: [`paste-${bytes}`], text: prompt });
    await pane.control.send('exit');
  });
});

describe('a prompt typed key by key', () => {
  it.each(SIZES)('a prompt typed key by key arrives exactly: %i bytes', async (bytes) => {
    const pane = await world.start();
    const prompt = promptOf(bytes, `typed-${bytes}`, false).replaceAll(/[\t;]/g, ' ');
    const { sha256 } = fingerprint(prompt);
    await pane.type(prompt);
    await pane.drafted(prompt, sha256);
    await pane.press('Enter');
    await pane.control.event('turn_finished');
    expect(pane.records('submitted')).toMatchObject([
      { sha256, how: 'typed', bytes: Buffer.byteLength(prompt) },
    ]);
    await pane.control.send('exit');
  });
});

describe('the transcript of an agent in a terminal', () => {
  it('the transcript of an agent in a terminal holds every prompt received, also when the agent is killed at once', async () => {
    const pane = await world.start(['--turn', '60s']);
    await pane.type('before the kill');
    await pane.press('Enter');
    const { pid } = pane.records('started')[0] as unknown as { pid: number };
    await pane.control.event('submitted');
    process.kill(pid, 'SIGKILL');
    await pane.control.closed;
    expect(pane.records('submitted')).toMatchObject([{ text: 'before the kill' }]);
    expect(fs.statSync(pane.transcriptPath).mode & 0o777).toBe(0o600);
  });

  it('the transcript of an agent in a terminal begins with pid, skin and size', async () => {
    const pane = await world.start(['--skin', 'ascii'], { columns: 70, rows: 20 });
    const pid = Number(await pane.fact('#{pane_pid}'));
    expect(pane.records()[0]).toMatchObject({
      type: 'started',
      pid,
      skin: 'ascii',
      columns: 70,
      rows: 20,
      mode: 'tui',
    });
    expect(await pane.fact('#{pane_current_command}')).toBe(PROCESS_TITLE);
    await pane.control.send('exit');
  });
});
