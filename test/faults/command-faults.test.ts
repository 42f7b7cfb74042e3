import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMailStore } from '../../src/mail/filesystem/index.ts';
import { FlatFile } from '../../src/mail/flatfile/index.ts';
import { drawSeed } from '../support/draw-seed.ts';
import { proofReport } from '../support/proof-report.ts';
import { FULL, sampled } from '../support/sample.ts';
import { Tally } from './tally.ts';

/**
 * Commands that do one thing and end. Each of their writes is refused once, and all of them. The command does its work, or it
 * says in one sentence what failed and ends with the right exit code; run again, it has done it once.
 */
const ERRNOS = ['ENOSPC', 'EMFILE', 'EROFS', 'EIO'];
const FAULTS = path.resolve(import.meta.dirname, '../support/faults.mjs');
const PROGRAM = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');
/** The exit codes of unavailable and forbidden. */
const REFUSED = [7, 8];
const MOST = 100;

let directory: string;
let control: string;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-faults-'));
  control = path.join(directory, 'faults');
  fs.mkdirSync(path.join(directory, '.agent'));
  fs.writeFileSync(control, '');
  fs.writeFileSync(`${control}.hits`, '');
  for (const args of [['init'], ['register', '--address', 'a@x']])
    expect(rouse(['mailbox', ...args, '--mailbox-root', path.join(directory, 'mail')]).code).toBe(0);
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

function rouse(args: string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', FAULTS, PROGRAM, ...args], {
    encoding: 'utf8',
    input,
    env: { PATH: process.env['PATH'], HOME: directory, FAULTS_FILE: control },
  });
  return { code: status, out: stdout, err: stderr };
}

const hits = (): string[] => fs.readFileSync(`${control}.hits`, 'utf8').split('\n').filter(Boolean);

const COMMANDS = [
  {
    name: 'mail post',
    run: (id: string) => {
      const root = path.join(directory, 'mail');
      const said = ['--subject', id, '--body-content', 'text', '--idempotency-key', id];
      return rouse(['mail', 'post', '--mailbox-root', root, '--address', 'a@x', ...said]);
    },
    count: async (id: string) => {
      const store = openMailStore({ root: path.join(directory, 'mail') });
      const { messages } = await store.mailbox('a@x').list({ limit: 1000 });
      await store.close();
      return messages.filter(({ subject }) => subject === id).length;
    },
  },
  {
    name: 'mailfile prepend',
    run: (id: string) =>
      rouse(
        ['mailfile', 'prepend', '--mailbox', path.join(directory, '.agent', 'inbox.md')],
        `---\nfrom: a\nto: b\nre: c\nmsg-id: ${id}\ncreated: 2026-01-01T00:00:00Z\n---\ntext\n`,
      ),
    count: async (id: string) => {
      const { entries, damaged } = new FlatFile(path.join(directory, '.agent', 'inbox.md')).list();
      expect(damaged).toBe(0);
      return entries.filter(({ ref }) => ref === id).length;
    },
  },
];

describe.each(COMMANDS)('$name', ({ name, run, count }) => {
  it('a command whose write is refused says so in a sentence, with its exit code, and does it once when asked again', async () => {
    const tally = new Tally();
    let refused = 0;
    let reported = 0;
    let traces = 0;
    const tryIt = async (fault: string): Promise<boolean> => {
      const id = `m-${fault.replaceAll(' ', '-')}`;
      const before = hits().length;
      fs.writeFileSync(control, fault);
      const { code, out, err } = run(id);
      fs.writeFileSync(control, '');
      const isHit = hits().length > before;
      const about = { fault, at: hits().at(-1), code, err };
      const isTrace = /^\s+at /m.test(err);
      if (isTrace) traces++;
      expect([about, isTrace]).toEqual([about, false]);
      if (code === 0) expect(about).toEqual({ ...about, err: '' });
      else {
        expect({ ...about, out }).toMatchObject({
          code: expect.toSatisfy((c) => REFUSED.includes(c)),
          out: '',
        });
        expect(err).toMatch(/^error: .{20,}\n/);
        expect(err.trim().split('\n').length, err).toBeLessThanOrEqual(3);
        reported++;
        expect(run(id).code).toBe(0);
      }
      tally.once(JSON.stringify(about), await count(id));
      if (isHit) refused++;
      return isHit;
    };
    for (const errno of sampled(`${import.meta.filename} all ${name}`, ERRNOS, 2))
      expect(await tryIt(errno)).toBe(true);
    // mail-faults.test.ts tries every write for every reason in one process; here every third, for one reason.
    const nths = Array.from({ length: MOST }, (_, n) => n + 1);
    const someNths = nths.filter((nth) => nth % 3 === drawSeed() % 3);
    for (const nth of FULL ? someNths : sampled(`${import.meta.filename} ${name}`, nths.slice(0, 20), 3))
      if (!(await tryIt(`${ERRNOS[nth % ERRNOS.length]} ${nth}`)) && FULL) break;
    proofReport(
      `${name} as a command: ${refused} refused, ${reported} of them reported; lost ${tally.lost}, doubled ${tally.doubled}, stack traces ${traces}`,
    );
  });
});
