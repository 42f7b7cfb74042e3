import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownDevice } from '../../../test/support/device.ts';
import { readTranscript } from '../../../test/support/scripted-agent.ts';
import { FakeClock } from '../../base/index.ts';
import { Journal } from '../control/journal.ts';
import { Transcript } from './transcript.ts';

let directory: string;
let file: string;

beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-scripted-'));
  file = path.join(directory, 'transcript.jsonl');
});
afterEach(() => fs.rmSync(directory, { recursive: true }));

describe('the transcript', () => {
  it('the transcript is readable only by its owner, also when the file existed before', () => {
    fs.writeFileSync(file, '', { mode: 0o644 });
    new Transcript(file).close();
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  it('a record is in the transcript as soon as it is made', () => {
    const journal = new Journal(new Transcript(file), new FakeClock());
    journal.record('submitted', { text: 'héllo\n⟦rouse:1⟧' });
    expect(readTranscript(file)).toEqual([
      { seq: 1, at: '2026-01-01T00:00:00.000Z', type: 'submitted', text: 'héllo\n⟦rouse:1⟧' },
    ]);
  });

  it('a line cut by kill -9 is ignored, and the next process does not append to it', () => {
    new Journal(new Transcript(file), new FakeClock()).record('started');
    fs.appendFileSync(file, '{"seq":2,"at":"2026');
    expect(readTranscript(file).map((record) => record.type)).toEqual(['started']);
    const journal = new Journal(new Transcript(file), new FakeClock());
    journal.record('started');
    journal.record('ready');
    expect(readTranscript(file).map((record) => record.type)).toEqual(['started', 'started', 'ready']);
  });

  it('a damaged line in the middle of the transcript is reported', () => {
    fs.writeFileSync(file, '{"seq":1}\nrubbish\n{"seq":2,"type":"ready"}\n');
    expect(() => readTranscript(file)).toThrow('line 2 is not a record');
  });

  it.runIf(process.getuid?.() === 0)('the transcript does not change the mode of a device', () => {
    const device = ownDevice(directory);
    new Journal(new Transcript(device), new FakeClock()).record('started');
    expect(fs.statSync(device).mode & 0o777).toBe(0o666);
    expect(fs.statSync(device).isCharacterDevice()).toBe(true);
  });

  it('the transcript names the file that cannot be written', () => {
    expect(() => new Transcript('/nowhere/at/all')).toThrow('--transcript /nowhere/at/all cannot be written');
  });

  it('long texts are not sent on the control channel', () => {
    const journal = new Journal(undefined, new FakeClock());
    journal.record('submitted', { text: 'long', bytes: 4 });
    expect(journal.since(0)).toEqual([
      { seq: 1, at: '2026-01-01T00:00:00.000Z', type: 'submitted', bytes: 4 },
    ]);
  });
});
