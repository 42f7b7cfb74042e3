import { MemoryMail } from '../../../test/support/memory-mail/memory-mail.ts';
import { describeMailbox } from './mailbox.contract.ts';

const CAPABILITIES = new MemoryMail().register('a@x').mailbox('a@x').capabilities;

describeMailbox({
  name: 'in memory',
  capabilities: CAPABILITIES,
  async begin() {
    const mail = new MemoryMail();
    for (const name of ['alice', 'bob', 'carol']) mail.register(`${name}@houmao.localhost`, name);
    const open = (name: string) => mail.mailbox(`${name}@houmao.localhost`);
    return {
      alice: open('alice'),
      bob: open('bob'),
      carol: open('carol'),
      settle: async () => {},
      anotherBob: async () => open('bob'),
      end: async () => {},
    };
  },
});
