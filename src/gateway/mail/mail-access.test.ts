import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/index.ts';
import {
  FlatFileMailbox,
  initMailStore,
  openMailbox,
  openMailStore,
  repairMailStore,
} from '../../mail/index.ts';
import type { MailboxBinding } from '../../wire/index.ts';
import { MailAccess } from './index.ts';

const ADDRESS = 'bob@houmao.localhost';
let directory: string;
let root: string;
let binding: MailboxBinding;
let access: MailAccess;

beforeEach(async () => {
  directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-access-')));
  root = path.join(directory, 'root');
  const store = initMailStore({ root });
  store.register({ address: ADDRESS, owner_principal_id: 'bob' });
  await store.close();
  binding = {
    transport: 'filesystem',
    principal_id: 'bob',
    address: ADDRESS,
    filesystem_root: root,
    bindings_version: '1',
    mailbox_kind: 'in_root',
    mailbox_path: path.join(root, 'mailboxes', ADDRESS),
  };
  access = new MailAccess(
    () => binding,
    (wanted) => openMailbox(wanted, { clock: systemClock }),
  );
});

afterEach(async () => {
  await access.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

/** As if another process had posted it. */
async function postFromOutside(subject: string): Promise<void> {
  const store = openMailStore({ root });
  await store.mailbox(ADDRESS).post({ subject, body_content: 'do it' });
  await store.close();
}

const post = async (subject: string) => (await access.mailbox()).post({ subject, body_content: 'do it' });
const subjects = async (): Promise<string[]> =>
  (await (await access.mailbox()).list()).messages.map(({ subject }) => subject);

describe('the mailbox of a gateway', () => {
  it('a mailbox is opened again when its index was rebuilt: mail from outside is seen and reported, and sending works', async () => {
    await post('before');
    await access.watch();
    await expect.poll(() => fs.readdirSync(path.join(root, 'messages'))).toHaveLength(1);
    fs.writeFileSync(path.join(root, 'index.sqlite'), 'nonsense'.repeat(999));
    expect((await repairMailStore({ root })).backed_up_index_path).not.toBeNull();
    const changed = access.changed.next();
    await postFromOutside('from outside');
    await changed;
    expect(await subjects()).toEqual(['from outside', 'before']);
    await post('after');
    expect(await subjects()).toHaveLength(3);
    await access.watch();
    const changedAgain = access.changed.next();
    await postFromOutside('again');
    await changedAgain;
  });

  it('a mailbox fails while its root is missing, and works again with a copy put in its place', async () => {
    await post('kept');
    fs.renameSync(root, `${root}.away`);
    await expect(access.mailbox()).rejects.toMatchObject({
      code: 'unavailable',
      facts: { error_code: 'mail_transport' },
    });
    await expect(access.watch()).rejects.toMatchObject({
      code: 'unavailable',
      facts: { error_code: 'mail_transport' },
    });
    expect(fs.existsSync(root)).toBe(false);
    fs.cpSync(`${root}.away`, root, { recursive: true });
    expect(await subjects()).toEqual(['kept']);
    await post('new');
  });

  it('a flat-file mailbox fails while its directory is missing, creates none, and works again when it is back', async () => {
    const agent = path.join(directory, 'app', '.agent');
    fs.mkdirSync(agent, { recursive: true });
    binding = {
      transport: 'flatfile',
      principal_id: 'HOUMAO-bob',
      address: 'bob@app',
      mailbox_path: agent,
      bindings_version: '2',
    };
    expect((await access.mailbox()).principal_id).toBe('HOUMAO-bob');
    await access.watch();
    await post('kept');
    fs.renameSync(agent, `${agent}.away`);
    await expect(access.watch()).rejects.toMatchObject({
      code: 'unavailable',
      facts: { error_code: 'mail_transport' },
    });
    expect(fs.existsSync(agent)).toBe(false);
    fs.cpSync(`${agent}.away`, agent, { recursive: true });
    expect(await subjects()).toEqual(['kept']);
    await access.watch();
    const changed = access.changed.next();
    await new FlatFileMailbox({ directory: agent, address: 'bob@app' }).post({
      subject: 'new',
      body_content: 'do it',
    });
    await changed;
    expect(await subjects()).toEqual(['new', 'kept']);
  });

  it('a replaced mailbox is opened once when several callers ask at the same time', async () => {
    let openings = 0;
    let replaced = false;
    const several = new MailAccess(
      () => binding,
      async (wanted) => {
        openings++;
        return {
          ...(await openMailbox(wanted, { clock: systemClock })),
          isReplaced: () => replaced && openings === 1,
        };
      },
    );
    await several.mailbox();
    replaced = true;
    const found = await Promise.all([several.mailbox(), several.mailbox(), several.watch()]);
    expect(found[0]).toBe(found[1]);
    expect(openings).toBe(2);
    await several.close();
  });
});
