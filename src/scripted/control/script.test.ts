import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testAgent } from '../agent.testing.ts';
import { runControl } from './control-commands.ts';
import { playScript, readScript } from './script.ts';

let file: string;
beforeEach(() => {
  file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-scripted-')), 'script.json');
});
afterEach(() => fs.rmSync(path.dirname(file), { recursive: true }));

const write = (script: unknown): void => fs.writeFileSync(file, JSON.stringify(script));

describe('a script', () => {
  it.each([
    [{}, /"steps" must be a list/],
    [{ steps: [{ on: '', do: { type: 'hang' } }] }, /steps\[0\]: "on" must name an event/],
    [{ steps: [{ on: 'ready', nth: 0, do: { type: 'hang' } }] }, /"nth" must be a whole number/],
    [{ steps: [{ on: 'ready', when: 1, do: { type: 'hang' } }] }, /unknown field "when"/],
    [{ steps: [{ on: 'ready', do: { type: 'nope' } }] }, /steps\[0\]: unknown control message type "nope"/],
    [{ steps: [{ on: 'ready', after: 'soon', do: { type: 'hang' } }] }, /is not a duration/],
    [{ steps: [{ on: 'ready' }] }, /"do" must be/],
  ])('the script %j is refused before anything starts', (script, error) => {
    write(script);
    expect(() => readScript(file)).toThrow(error);
  });

  it('a script that is not JSON is refused by name', () => {
    fs.writeFileSync(file, 'steps:');
    expect(() => readScript(file)).toThrow(`--script ${file}`);
  });

  it('a script runs each step when its event happens for the n-th time', async () => {
    write({ steps: [{ on: 'submitted', nth: 2, after: '10ms', do: [{ type: 'skin', name: 'ascii' }] }] });
    const { agent, clock, journal, press } = testAgent();
    playScript(readScript(file), journal, clock, (message) => runControl(agent, message));
    press('one\r');
    await clock.advance(1000);
    expect(agent.skin.name).toBe('plain');
    press('two\r');
    await clock.advance(10);
    expect(agent.skin.name).toBe('ascii');
  });

  it('a script records a step that failed and continues', async () => {
    write({ steps: [{ on: 'submitted', do: [{ type: 'close-dialog' }, { type: 'skin', name: 'ascii' }] }] });
    const { agent, clock, journal, press, types } = testAgent();
    playScript(readScript(file), journal, clock, (message) => runControl(agent, message));
    press('one\r');
    await clock.advance(10);
    expect(types('script_error')).toMatchObject([{ step: 'close-dialog', error: 'no dialog is open' }]);
    expect(agent.skin.name).toBe('ascii');
  });
});
