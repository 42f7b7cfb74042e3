import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { ALL_CAPABILITIES } from '../all-capabilities.ts';
import { describeMailbox } from '../contract/mailbox.contract.ts';
import { initMailStore, openMailStore } from './index.ts';

describeMailbox({
  name: 'filesystem',
  capabilities: ALL_CAPABILITIES,
  async begin() {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-mail-'));
    const store = initMailStore({ root });
    const other = openMailStore({ root });
    for (const name of ['alice', 'bob', 'carol']) {
      store.register({ address: `${name}@houmao.localhost`, owner_principal_id: name });
    }
    const open = (name: string) => store.mailbox(`${name}@houmao.localhost`);
    return {
      alice: open('alice'),
      bob: open('bob'),
      carol: open('carol'),
      settle: async () => {},
      anotherBob: async () => other.mailbox('bob@houmao.localhost'),
      async end() {
        await other.close();
        await store.close();
        fs.rmSync(root, { recursive: true, force: true });
      },
    };
  },
});
