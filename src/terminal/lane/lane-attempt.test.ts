import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LaneAttempt, LaneNotes } from './lane-attempt.ts';

const ATTEMPT: LaneAttempt = {
  request_id: 'r-1',
  owner: { source: 'queue', id: 'r-1' },
  text: 'look at your mail',
  since_utc: '2026-01-01T00:00:00.000Z',
  step: 'pasted',
  baseline: null,
  screen: null,
  tool: null,
};

describe("the lane's notes", () => {
  let directory: string;
  let notes: LaneNotes;
  beforeEach(() => {
    directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-notes-'));
    notes = new LaneNotes(directory);
  });
  afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

  it('the lane notes that a text is being erased without a byte more on the disk', () => {
    notes.keep(ATTEMPT);
    const before = fs.readdirSync(directory).map((name) => fs.statSync(path.join(directory, name)).ino);
    notes.erasing(ATTEMPT.text);
    const after = fs.readdirSync(directory).map((name) => fs.statSync(path.join(directory, name)).ino);
    expect(notes.read()).toEqual({ ...ATTEMPT, erasing: true });
    expect(after).toEqual(before);
  });

  it('the lane does not mark its attempt as being erased for another text', () => {
    notes.keep(ATTEMPT);
    notes.erasing('another text');
    expect(notes.read()).toEqual(ATTEMPT);
  });

  it('the mark of an erased attempt ends with it, and the next attempt begins without it', () => {
    notes.keep(ATTEMPT);
    notes.erasing(ATTEMPT.text);
    notes.keep({ ...ATTEMPT, request_id: 'r-2' });
    expect(notes.read()).toEqual({ ...ATTEMPT, request_id: 'r-2' });
    notes.erasing(ATTEMPT.text);
    notes.forget();
    expect([notes.read(), fs.readdirSync(directory)]).toEqual([undefined, []]);
  });
});
