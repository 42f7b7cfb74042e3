import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { describeMailbox } from '../mailbox.contract.ts';
import { FlatFileMailbox } from './flat-file-mailbox.ts';

const probe = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-flatfile-'));
const { capabilities } = new FlatFileMailbox({ directory: probe, address: 'a@x' });
fs.rmSync(probe, { recursive: true });

describeMailbox({
  name: 'flat file',
  capabilities,
  async begin() {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-flatfile-'));
    const names = ['alice', 'bob', 'carol'] as const;
    const peers = new Map(names.map((name) => [`${name}@houmao.localhost`, path.join(root, name)]));
    const open = (name: string): FlatFileMailbox =>
      new FlatFileMailbox({
        directory: path.join(root, name),
        address: `${name}@houmao.localhost`,
        principal_id: name,
        peers,
      });
    const [alice, bob, carol] = [open('alice'), open('bob'), open('carol')];
    return {
      alice,
      bob,
      carol,
      settle: async () => {},
      anotherBob: async () => open('bob'),
      async end() {
        await Promise.all([alice.close(), bob.close(), carol.close()]);
        fs.rmSync(root, { recursive: true, force: true });
      },
    };
  },
});
