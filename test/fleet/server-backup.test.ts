import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog, systemClock } from '../../src/base/index.ts';
import { FleetClient, readTokenFile } from '../../src/client/index.ts';
import { openEmbedded } from '../../src/db/index.ts';
import { proveBackup, restoreServer, runServer, serverFiles } from '../../src/fleet/index.ts';
import { TEMPLATES } from '../support/fleet.ts';

/** A fast machine would otherwise exceed the rate limit of a token. */
const FEWER_THAN_THE_LIMIT = 300;

let home: string;
beforeEach(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-backup-'));
  await (await openEmbedded({ directory: serverFiles(home).database, templateDirectory: TEMPLATES })).close();
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

const start = () =>
  runServer({
    ...{ files: serverFiles(home), host: '127.0.0.1', port: 0, hosts: [], databaseUrl: undefined },
    ...{ env: {}, agents: undefined, clock: systemClock, log: silentLog },
  });

const restore = (archive: string, replace = false) =>
  restoreServer({ files: serverFiles(home), log: silentLog, archive }, { replace });

async function save(url: string, token: string, file: string): Promise<void> {
  const response = await fetch(`${url}/admin/backup`, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  fs.writeFileSync(file, Buffer.from(await response.arrayBuffer()));
}

describe('a backup of the embedded database', () => {
  it('a backup taken while requests are filed holds what was acknowledged before it and nothing half; it is restored with --replace only', async () => {
    const file = path.join(home, 'fleet.backup');
    const server = await start();
    const url = `http://127.0.0.1:${server.instance.port}`;
    const token = readTokenFile(serverFiles(home).adminToken);
    const admin = new FleetClient({ url, token });
    const orgs = async (client: FleetClient) => (await client.call('admin.orgs.list', {})).orgs.length;
    const make = (name: string) => admin.call('admin.orgs.create', { body: { name } });
    for (let n = 0; n < 10; n++) await make(`before-${n}`);
    let going = true;
    let made = 0;
    const filing = (async () => {
      while (going && made < FEWER_THAN_THE_LIMIT) await make(`during-${made++}`);
    })();
    await save(url, token, file);
    going = false;
    await filing;
    await make('after');
    expect(await orgs(admin)).toBe(12 + made);
    await expect(restore(file)).rejects.toMatchObject({ code: 'conflict', facts: { cause: 'locked' } });
    await server.stop();

    await expect(restore(file)).rejects.toMatchObject({ code: 'conflict', facts: { cause: 'not_empty' } });
    const { moved_aside } = await restore(file, true);
    expect(fs.readFileSync(path.join(moved_aside!, 'PG_VERSION'), 'utf8').trim()).toBe('18');
    const again = await start();
    const client = new FleetClient({ url: `http://127.0.0.1:${again.instance.port}`, token });
    const names = (await client.call('admin.orgs.list', {})).orgs.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('before-'))).toHaveLength(10);
    expect(names).not.toContain('after');
    // Orgs are created one after the other, so the backup has the first ones, without a gap.
    const during = names.filter((name) => name.startsWith('during-')).length;
    for (let n = 0; n < during; n++) expect(names).toContain(`during-${n}`);
    expect(
      fs.readdirSync(path.dirname(serverFiles(home).database)).filter((name) => /snapshot/.test(name)),
    ).toEqual([]);
    await again.stop();
  });

  it('a backup that is cut off, changed, of another version or no backup at all is refused, and nothing is changed', async () => {
    const server = await start();
    const token = readTokenFile(serverFiles(home).adminToken);
    const good = path.join(home, 'good.backup');
    await save(`http://127.0.0.1:${server.instance.port}`, token, good);
    await server.stop();
    expect(await proveBackup(good)).toMatchObject({ rouse_backup: 1, postgres: '18' });
    const bytes = fs.readFileSync(good);
    const plain = gunzipSync(bytes);
    const [first] = plain.toString('latin1').split('\n', 1) as [string];
    const rest = plain.subarray(first.length + 1);
    const withHeader = (change: object): Buffer =>
      gzipSync(
        Buffer.concat([Buffer.from(`${JSON.stringify({ ...JSON.parse(first), ...change })}\n`), rest]),
      );
    const bad: [string, Buffer, string][] = [
      ['cut', bytes.subarray(0, bytes.length / 2), 'invalid'],
      ['text', Buffer.from('hello'), 'invalid'],
      ['empty', Buffer.alloc(0), 'invalid'],
      ['newer', withHeader({ steps: [...JSON.parse(first).steps, '2099_more'] }), 'unsupported'],
      ['postgres', withHeader({ postgres: '99' }), 'unsupported'],
      ['away', gzipSync(Buffer.from(`${first}\n{"path":"../../x","size":1}\nx{"end":1}\n`)), 'invalid'],
      ['less', gzipSync(Buffer.from(`${first}\n{"end":7}\n`)), 'invalid'],
    ];
    const before = fs.readdirSync(path.join(home, 'server')).sort();
    for (const [name, content, code] of bad) {
      const file = path.join(home, name);
      fs.writeFileSync(file, content);
      await expect(restore(file, true), name).rejects.toMatchObject({ code });
    }
    await expect(restore(path.join(home, 'none'))).rejects.toMatchObject({ code: 'not_found' });
    const left = fs.readdirSync(path.join(home, 'server')).filter((name) => !/\.(new|restored)/.test(name));
    expect(left.sort()).toEqual(before);
    const again = await start();
    await again.stop();
  });
});
