import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Seeded } from '../support/seeded.ts';
import * as account from './another-account.ts';
import { badBodies } from './bad-bodies.ts';
import { brokenRequests } from './broken-requests.ts';
import { isRoot } from './call.ts';
import { type Cell, grantCells, guestCells, ownerCells, tokenCells, walk, walkAsGuest } from './callers.ts';
import { tableErrors } from './critical-rows.ts';
import * as floods from './floods.ts';
import { fromBrowser } from './from-browser.ts';
import { mcpOverHttp } from './mcp-over-http.ts';
import { keysByOtherWays, namedFieldTries } from './named-fields.ts';
import { namedFiles } from './named-files.ts';
import { pageCells } from './page-roles.ts';
import { askedOfServer, handedToGateway } from './remote-calls.ts';
import { changes, snapshot } from './snapshot.ts';
import { Stage } from './stage.ts';
import { tenants } from './tenants.ts';
import { throughProxy } from './through-proxy.ts';
import { Tries } from './tries.ts';
import { underFaults } from './under-faults.ts';
import { webPage } from './web-page.ts';

/**
 * Real servers, attacked in every known way. A try that is not refused, that changes anything, or after which
 * the owner is not served has got through. `npm run test:attack` tries everything; `npm test` a sample by a fixed seed.
 */
const FULL = process.env['ROUSE_PROOF'] === 'full';
const SEED = 20_261_116;
const sample = (max: number) => (FULL ? undefined : { random: new Seeded(SEED), max });

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

/** Attacks, then checks everything that could have changed except `records`, and whether the owner is served. */
async function attack(kinds: string[], run: () => Promise<void>, records?: RegExp): Promise<void> {
  await stage.atRest();
  const before = await snapshot(stage);
  await run();
  await stage.atRest();
  for (const change of changes(before, await snapshot(stage)))
    if (!records?.test(change)) tries.found(kinds[0]!, change);
  await ownerIsServed(kinds);
}

/** Legitimate changes are checked by the attack itself. */
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
  it('a web page in the browser of the owner gets nothing through', async () => {
    const kind = 'web page: hosts, origins, forms, preflights';
    await attack([kind], () => webPage(stage, tries, kind, sample(150)));
  });
});

describe("the owner's own account", () => {
  it("the owner's own account is not the owner through a proxy", async () => {
    const kind = 'through a proxy: every route';
    await attack([kind], () => throughProxy(stage, tries, kind, sample(150)));
  });
  it("the owner's own account is not the owner in a browser, on a page of the server itself", async () => {
    const kind = 'from a browser: every route';
    await attack([kind], () => fromBrowser(stage, tries, kind, sample(150)));
  });
});

describe('tokens', () => {
  it('tokens open what the table of access says, and show nothing of another org', async () => {
    const kinds = {
      refused: 'tenants: every refusal of the table',
      foreign: 'tenants: what another org receives',
    };
    await attack(Object.values(kinds), () => tenants(stage, tries, kinds, sample(25)));
  });
});

describe('every row of both servers', () => {
  const kindsOf = (cells: readonly Cell[]): string[] => [...new Set(cells.map(({ caller }) => caller))];

  it('every row of both servers is open to no more callers than the lists of the most dangerous rows say', () => {
    expect(tableErrors()).toEqual([]);
  });
  it('every row of both servers is refused to each role of the page that it is not for', async () => {
    const cells = await pageCells(stage);
    await attack(kindsOf(cells), () => walk(stage, tries, cells, sample(100)), /^fleet page_audit /);
  });
  it('every row of both servers is refused to the owner without a token where it must be known who speaks', async () => {
    const cells = ownerCells(stage);
    await attack(kindsOf(cells), () => walk(stage, tries, cells, sample(40)));
  });
  it("every row of both servers is refused to the agent's token and to tokens of the other server", async () => {
    const cells = tokenCells(stage);
    await attack(kindsOf(cells), () => walk(stage, tries, cells, sample(100)));
  });
  it('every row of both servers is refused to a token with a grant for something else', async () => {
    const cells = grantCells(stage);
    await attack(kindsOf(cells), () => walk(stage, tries, cells, sample(60)));
  });
  it('every row of both servers is refused to an account that may only connect', async () => {
    const cells = guestCells(stage);
    if (!isRoot) return tries.skip(cells[0]!.caller, 'only root can start a process of another account');
    await attack(kindsOf(cells), () => walkAsGuest(stage, tries, cells, sample(60)));
  });
  it('every row of both servers is refused from another host unless the list of such calls names it', async () => {
    const kinds = { handed: 'remote: handed to the gateway', asked: 'remote: asked of the fleet server' };
    const run = async (): Promise<void> => {
      await handedToGateway(stage, tries, kinds.handed);
      await askedOfServer(stage, tries, kinds.asked, sample(5));
    };
    await attack(Object.values(kinds), run, /^fleet gateway_calls /);
  });
  it('`rouse mcp --http` is for the token of its agent', async () => {
    const kind = 'MCP server of its own';
    await attack([kind], () => mcpOverHttp(stage, tries, kind));
  });
});

describe('fields that name a file, a directory, a command or a URL', () => {
  it('fields that name a file, a directory, a command or a URL are refused from callers without the right, and nothing changes', async () => {
    const kind = 'fields: files, programs, flags, addresses';
    // A person opens the page to try some of them.
    const opened = /^fleet page_audit .*"action":"(code|login)"/;
    await attack([kind], () => namedFieldTries(stage, tries, { kind, byRight: false }), opened);
  });
  it('fields that name a file, a directory, a command or a URL are never opened, run or asked where anyone may write them', async () => {
    const kind = 'fields: what is only written down';
    await namedFieldTries(stage, tries, { kind, byRight: true });
    await ownerIsServed([kind]);
  });
  it('fields that name a file, a directory, a command or a URL are on the list, wherever a file of Rouse holds a path or an address', async () => {
    const kind = 'fields: those of real files';
    namedFiles(stage.directories, tries, kind);
    await ownerIsServed([kind]);
  });
  it('keys are refused on every route that could type them', async () => {
    const kind = 'keys by other ways';
    await attack([kind], () => keysByOtherWays(stage, tries, kind));
  });
});

describe('floods', () => {
  it('floods of guessed tokens slow only the guesser', async () => {
    const kind = 'flood: guessed tokens';
    await attack([kind], () => floods.badTokens(stage, tries, kind, FULL ? 3000 : 100));
  });
  it('floods of connections end when they are gone', async () => {
    const kind = 'flood: connections beyond the descriptors';
    await attack([kind], () => floods.connections(stage, tries, kind));
  });
  it('floods of followers keep no one else from being served', async () => {
    const kind = 'flood: followers';
    await attack([kind], () => floods.followers(stage, tries, kind, FULL ? 300 : 60));
  });
  it('floods of work are accepted up to the limit', async () => {
    const kind = 'flood: requests and reminders';
    await floods.tooMuchWork(stage, tries, kind);
    await ownerIsServed([kind]);
  });
});

describe('bodies and requests', () => {
  it('bodies that are too large, too deep or of the wrong type are refused', async () => {
    const kind = 'worst bodies';
    await attack([kind], () => badBodies(stage, tries, kind, sample(60)));
  });
  it('requests that are broken on the wire are refused', async () => {
    const kind = 'broken requests';
    await attack([kind], () => brokenRequests(stage, tries, kind, FULL ? undefined : 30));
  });
});

describe('a disk that refuses every write', () => {
  it('a disk that refuses every write opens no door, loses and doubles nothing', async () => {
    const kind = 'faults: every write refused';
    await underFaults(stage, tries, kind, FULL ? undefined : ['ENOSPC']);
    await ownerIsServed([kind]);
  });
});

it('every kind was tried, or left out for a reason that is printed', () => {
  expect(tries.idle).toEqual([]);
});
