import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Ending, FakeClock, FileTroubles } from '../../base/index.ts';
import { RotatingFile, WrittenOnChange } from './index.ts';

const ending = new Ending();
afterEach(() => ending.run());

/** A place where nothing can be written until `repair` is called. */
function unwritablePlace(): { file: string; repair: () => void; spoil: () => void } {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-trouble-'));
  ending.add(() => fs.rmSync(root, { recursive: true, force: true }));
  const directory = path.join(root, 'there');
  return {
    file: path.join(directory, 'file'),
    repair: () => fs.mkdirSync(directory),
    spoil: () => fs.renameSync(directory, path.join(root, 'away')),
  };
}

/** Lines of one tick are written together, so the trouble shows a moment later. */
const reported = (troubles: FileTroubles): Promise<void> =>
  expect.poll(() => troubles.reasons).toHaveLength(1);

describe('a file for readers that cannot be written', () => {
  it('a status file that cannot be written is reported, and written with its current value when it can be', async () => {
    const clock = new FakeClock();
    const troubles = new FileTroubles(clock);
    const { file, repair } = unwritablePlace();
    const state = new WrittenOnChange(file, clock, troubles);
    let value = 1;
    state.refresh(() => ({ value }));
    await clock.advance(0);
    await reported(troubles);
    expect(troubles.reasons).toEqual([expect.stringContaining(`${file} cannot be written: `)]);
    value = 2;
    await clock.advance(1000);
    expect(troubles.reasons).toHaveLength(1);
    repair();
    value = 3;
    await clock.advance(2000);
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual({ value: 3 });
    expect(troubles.reasons).toEqual([]);
  });

  it('a log that cannot be written keeps its newest lines in order, and retries as soon as with few lines', async () => {
    const clock = new FakeClock();
    const troubles = new FileTroubles(clock);
    const { file, repair } = unwritablePlace();
    const log = new RotatingFile(file, { maxBytes: 1e6, keep: 1, troubles });
    ending.add(() => log.close());
    for (let n = 0; n < 1500; n++) log.append(`${n}\n`);
    await reported(troubles);
    repair();
    await clock.advance(1000);
    expect(fs.readFileSync(file, 'utf8').trim().split('\n').map(Number)).toEqual(
      Array.from({ length: 1000 }, (_, n) => n + 500),
    );
  });

  it('a log that cannot be written still shows its lines, once, those of one tick together', async () => {
    const clock = new FakeClock();
    const troubles = new FileTroubles(clock);
    const { file, repair } = unwritablePlace();
    const shown: string[] = [];
    const log = new RotatingFile(file, {
      maxBytes: 1e6,
      keep: 1,
      troubles,
      show: (lines) => shown.push(lines),
    });
    ending.add(() => log.close());
    log.append('one\n');
    log.append('two\n');
    await reported(troubles);
    repair();
    await clock.advance(1000);
    expect(fs.readFileSync(file, 'utf8')).toBe('one\ntwo\n');
    log.append('three\n');
    log.write();
    expect(shown).toEqual(['one\ntwo\n', 'three\n']);
  });

  it.skipIf(!fs.existsSync('/dev/full'))('may be a full disk', async () => {
    const troubles = new FileTroubles(new FakeClock());
    const log = new RotatingFile('/dev/full', { maxBytes: 1e6, keep: 1, troubles });
    ending.add(() => log.close());
    log.append('a line\n');
    await reported(troubles);
    expect(troubles.reasons).toEqual([expect.stringMatching(/ENOSPC|EINVAL/)]);
  });
});
