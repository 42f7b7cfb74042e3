import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../session/support/seeded.ts';
import * as account from './another-account.ts';
import { badBodies } from './bad-bodies.ts';
import { brokenRequests } from './broken-requests.ts';
import { isRoot } from './call.ts';
import * as floods from './floods.ts';
import { changes, snapshot } from './snapshot.ts';
import { Stage } from './stage.ts';
import { tenants } from './tenants.ts';
import { Tries } from './tries.ts';
import { underFaults } from './under-faults.ts';
import { webPage } from './web-page.ts';

/**
 * Real servers, attacked in every way that is known here. A try that is not refused, that changes anything, or after which
 * the owner is not served has got through. `npm run test:attack` tries everything; `npm test` a sample by a fixed seed.
 */
const FULL = process.env['ROUSE_PROOF'] === 'full';
const SEED = 20_261_116;
const sample = (most: number) => (FULL ? undefined : { random: seeded(SEED), most });

const stage = new Stage();
const tries = new Tries();

beforeAll(async () => void (await stage.open()), 300_000);
afterAll(async () => {
  const report = tries.report();
  const file = process.env['ROUSE_PROOF_REPORT'];
  if (file) fs.writeFileSync(file, `${report}\n`);
  else console.log(report);
  await stage.close();
}, 120_000);

/** Attacks, and then looks at everything that could have changed, and whether the owner is served. */
async function attack(kinds: string[], run: () => Promise<void>): Promise<void> {
  const before = await snapshot(stage);
  await run();
  await stage.atRest();
  for (const change of changes(before, await snapshot(stage))) tries.found(kinds[0]!, change);
  await ownerIsServed(kinds);
}

/** What of it changes something by right is left to the attack itself. */
async function ownerIsServed(kinds: string[]): Promise<void> {
  if (!stage.isWhole) tries.found(kinds[0]!, 'a server is gone');
  for (const trouble of await stage.ownersTrouble()) tries.found(kinds[0]!, trouble);
  expect(kinds.flatMap((kind) => tries.through(kind)).slice(0, 40)).toEqual([]);
}

describe('another account of the machine', () => {
  const kinds = {
    'another account: every route': () =>
      account.callEveryRoute(stage, tries, 'another account: every route'),
    'another account: send and close': () =>
      account.sendAndClose(stage, tries, 'another account: send and close', FULL ? 10 : 1),
    'another account: files': () => account.readFiles(stage, tries, 'another account: files'),
    'another account: connections it holds': () =>
      floods.heldByOthers(stage, tries, 'another account: connections it holds'),
  };
  it.each(Object.entries(kinds))('%s', async (kind, run) => {
    if (!isRoot) return tries.skip(kind, 'only root can start a process of another account');
    await attack([kind], run);
  });
});

describe('a web page in the browser of the owner', () => {
  it('gets nothing through', async () => {
    const kind = 'web page: hosts, origins, forms, preflights';
    await attack([kind], () => webPage(stage, tries, kind, sample(150)));
  });
});

describe('tokens', () => {
  it('open what the table of access says, and tell nothing of another org', async () => {
    const kinds = {
      refused: 'tenants: every refusal of the table',
      foreign: 'tenants: what another org is told',
    };
    await attack(Object.values(kinds), () => tenants(stage, tries, kinds, sample(25)));
  });
});

describe('floods', () => {
  it('of guessed tokens slow only whoever guesses', async () => {
    const kind = 'flood: guessed tokens';
    await attack([kind], () => floods.badTokens(stage, tries, kind, FULL ? 3000 : 100));
  });
  it('of connections end when they are gone', async () => {
    const kind = 'flood: connections beyond the descriptors';
    await attack([kind], () => floods.connections(stage, tries, kind));
  });
  it('of followers keep nobody else from being served', async () => {
    const kind = 'flood: followers';
    await attack([kind], () => floods.followers(stage, tries, kind, FULL ? 300 : 60));
  });
  it('of work are taken up to the limit', async () => {
    const kind = 'flood: requests and reminders';
    await floods.tooMuchWork(stage, tries, kind);
    await ownerIsServed([kind]);
  });
});

describe('bodies and requests', () => {
  it('that are too much, too deep or of the wrong type are refused', async () => {
    const kind = 'worst bodies';
    await attack([kind], () => badBodies(stage, tries, kind, sample(60)));
  });
  it('that are broken on the wire are refused', async () => {
    const kind = 'broken requests';
    await attack([kind], () => brokenRequests(stage, tries, kind, FULL ? undefined : 30));
  });
});

describe('a disk that refuses every write', () => {
  it('opens no door, loses and doubles nothing', async () => {
    const kind = 'faults: every write refused';
    await underFaults(stage, tries, kind, FULL ? undefined : ['ENOSPC']);
    await ownerIsServed([kind]);
  });
});

it('every kind was tried, or left out for a reason that is printed', () => {
  expect(tries.idle).toEqual([]);
});
