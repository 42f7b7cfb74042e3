import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proofReport } from '../support/proof-report.ts';
import { FULL, sampled } from '../support/sample.ts';
import { FleetUnderTest } from './fleet-under-test.ts';

/**
 * The disk refuses writes of a fleet server and its embedded database: all for a while, and each one once during a request.
 * One process survives all of it, reports it in its health, and recovers by itself.
 */
const ERRNOS = ['ENOSPC', 'EMFILE', 'EROFS', 'EIO'];
const FAULTS = path.resolve(import.meta.dirname, '../support/faults.mjs');

let home: string;
let control: string;
let fleet: FleetUnderTest;
let refused = 0;

beforeAll(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-server-faults-'));
  control = path.join(home, 'faults');
  fs.writeFileSync(control, '');
  fs.writeFileSync(`${control}.hits`, '');
  fleet = await FleetUnderTest.start({ home, node: ['--import', FAULTS], env: { FAULTS_FILE: control } });
});
afterAll(async () => {
  try {
    fleet.lives();
  } finally {
    proofReport(
      `the fleet server: ${refused} times writes refused, ${fleet.refused} requests refused; ${fleet.tally}`,
    );
    await fleet.end();
    fs.rmSync(home, { recursive: true, force: true });
  }
});

const set = (fault: string): void => fs.writeFileSync(control, fault);
const hits = (): number => fs.readFileSync(`${control}.hits`, 'utf8').split('\n').length;

describe.each(sampled(import.meta.filename, ERRNOS, 1))('%s', (errno) => {
  it('a fleet server that fails at every write for a while loses and doubles nothing, reports it in its health, and recovers by itself', async () => {
    const before = await fleet.ask(`${errno} before`);
    set(errno);
    const during = await Promise.all([1, 2, 3].map((n) => fleet.ask(`${errno} during ${n}`)));
    await fleet.isDegraded();
    set('');
    refused++;
    await fleet.recovers();
    await fleet.isThereOnce(`${errno} before`, before);
    for (const [n, id] of during.entries()) await fleet.isThereOnce(`${errno} during ${n + 1}`, id);
  });

  it('a fleet server that fails at one write of a request, each in turn, takes it once, or refuses it and takes it once when asked again', async () => {
    const max = FULL ? 40 : 2;
    for (let nth = 1; nth <= max; nth++) {
      const before = hits();
      const title = `${errno} ${nth}`;
      set(title);
      const id = await fleet.ask(title);
      set('');
      await fleet.recovers();
      await fleet.isThereOnce(title, id);
      if (hits() === before) break;
      refused++;
    }
    expect(refused).toBeGreaterThan(1);
  });
});
