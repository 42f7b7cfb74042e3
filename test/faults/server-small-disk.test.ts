import { once } from 'node:events';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isRouseError } from '../../src/base/index.ts';
import { openEmbedded } from '../../src/db/index.ts';
import { TEMPLATES } from '../support/fleet.ts';
import { proofReport } from '../support/proof-report.ts';
import { FleetUnderTest } from './fleet-under-test.ts';
import { disksFor, smallDisk } from './small-file-system.ts';
import { Tally } from './tally.ts';

/** Without injected faults: the file system of the embedded database is really full, and descriptors really run out. */
const WAIT = { timeout: 60_000, interval: 200 };
const MEGABYTES = 120;
/** The existing pages have room for a few more rows. */
const MOST = 200;
const ENOUGH = 5;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(disksFor(import.meta.filename))('a small disk: $title', ({ kind, reason }) => {
  it.skipIf(reason)(
    'on a full disk a fleet server says so, rests, loses nothing, and recovers by itself',
    async () => {
      const small = smallDisk(kind, MEGABYTES);
      const home = path.join(small.directory, 'h');
      fs.mkdirSync(home);
      const fleet = await FleetUnderTest.start({ home });
      onTestFinished(() => fleet.end());
      const asked = new Map([['before', await fleet.ask('before')]]);
      small.fill();
      while (fleet.refused < ENOUGH && asked.size < MOST) {
        const title = `during ${asked.size}`;
        asked.set(title, await fleet.ask(title));
        if (asked.get(title) === undefined) await fleet.isDegraded();
      }
      expect(fleet.refused).toBe(ENOUGH);
      const before = fleet.processorSeconds();
      await pause(3000);
      const used = fleet.processorSeconds() - before;
      expect(used).toBeLessThan(1);
      await fleet.isDegraded();
      const { refused } = fleet;
      small.empty();
      await fleet.recovers();
      for (const [title, id] of asked) await fleet.isThereOnce(title, id);
      expect(fleet.refused).toBe(refused);
      fleet.lives();
      proofReport(
        `the fleet server on a full ${kind}: ${asked.size - refused} requests accepted, ${refused} refused with health degraded, ${used.toFixed(2)} s of processor time in 3 s; ${fleet.tally}`,
      );
    },
  );

  it.skipIf(reason)(
    'on a disk that is full when the database log needs another file, what was acknowledged is there, and the server recovers',
    async () => {
      const small = smallDisk(kind, MEGABYTES);
      const sql = await openEmbedded({
        directory: path.join(small.directory, 'db'),
        templateDirectory: TEMPLATES,
      });
      onTestFinished(() => sql.close());
      /** Writes to the log and to an existing page. */
      const insert = async (n: number): Promise<'done' | string> => {
        try {
          await sql.query("SELECT pg_logical_emit_message(true, 'filling', repeat('x', 500000))");
          await sql.query('INSERT INTO kept VALUES ($1)', [n]);
          return 'done';
        } catch (error) {
          if (!isRouseError(error) || error.code !== 'unavailable') throw error;
          return String(error.facts['sqlstate']);
        }
      };
      await sql.exec('CREATE TABLE kept (n int)');
      const said = [await insert(0)];
      small.fill();
      while (said.at(-1) === 'done' && said.length < MOST) said.push(await insert(said.length));
      expect(said.at(-1)).toBe('57P02');
      expect(await insert(-1)).toBe('57P02');
      small.empty();
      await expect.poll(() => insert(MOST), WAIT).toBe('done');
      const { rows } = await sql.query<{ n: number }>('SELECT n FROM kept');
      const tally = new Tally();
      const times = (n: number): number => rows.filter((row) => row.n === n).length;
      for (const [n, answer] of said.entries())
        if (answer === 'done') tally.once(`row ${n}`, times(n));
        else tally.atMostOnce(`row ${n}`, times(n));
      proofReport(
        `the embedded database out of log on a full ${kind}: ${said.filter((answer) => answer === 'done').length} rows acknowledged; lost ${tally.lost}, doubled ${tally.doubled}`,
      );
    },
  );
});

describe('with few descriptors', () => {
  it('a fleet server outlives more connections than it may have, twice, and takes others afterwards', async () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-few-'));
    onTestFinished(() => fs.rmSync(home, { recursive: true, force: true }));
    const fleet = await FleetUnderTest.start({ home, words: ['prlimit', '--nofile=512:512'] });
    onTestFinished(() => fleet.end());
    const { hostname, port } = new URL(fleet.url);
    for (const round of [1, 2]) {
      const held = Array.from({ length: 800 }, () =>
        net.connect(Number(port), hostname).on('error', () => {}),
      );
      await Promise.all(held.map((socket) => once(socket, 'connect').catch(() => {})));
      for (const socket of held) socket.destroy();
      await expect.poll(() => fleet.health().catch(() => undefined), WAIT).toMatchObject({ status: 'ok' });
      await fleet.isThereOnce(`round ${round}`, await fleet.ask(`round ${round}`));
    }
    fleet.lives();
    proofReport(`the fleet server with 512 descriptors and 800 connections, twice: ${fleet.tally}`);
  });
});
