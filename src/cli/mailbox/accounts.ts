import type { Registration } from '../../mail/index.ts';
import { LOCAL_DOMAIN } from '../../wire/houmao/index.ts';
import { command, type Output } from '../command.ts';
import { ROOT_FLAG } from '../mail/mailbox-door.ts';
import { shownDate, type Zone } from '../print/shown-time.ts';
import { keyValues, table } from '../print/table.ts';
import { ADDRESS, about, text, withStore } from './root.ts';

const accountColumns = (zone: Zone) => [
  { title: 'address', value: ({ address }: Registration) => address },
  { title: 'owner', value: ({ owner_principal_id: owner }: Registration) => owner },
  { title: 'status', value: ({ status }: Registration) => status },
  { title: 'kind', value: ({ mailbox_kind: kind }: Registration) => kind },
  {
    title: 'since',
    value: ({ created_at_utc: at }: Registration) => shownDate(at, zone),
  },
];

export const listAccounts = command({
  name: 'list',
  summary: 'who has a mailbox',
  examples: ['rouse mailbox list', 'rouse mailbox accounts list   # the same'],
  flags: [ROOT_FLAG],
  run: (input) =>
    withStore(input, (store): Output => {
      const accounts = store.registrations();
      return { data: about(input, { accounts }), plain: table(accounts, accountColumns(input)) };
    }),
});

export const getAccount = command({
  name: 'get',
  summary: 'one mailbox: the active one of an address, else the stashed, else the newest',
  examples: [`rouse mailbox accounts get --address ana@${LOCAL_DOMAIN}`],
  flags: [ADDRESS, ROOT_FLAG],
  run: (input) =>
    withStore(input, (store): Output => {
      const address = text(input, 'address')!.trim();
      const [account] = store.registrations(address);
      if (!account) throw store.unknownMailbox(address);
      return { data: about(input, { account }), plain: keyValues({ ...account }) };
    }),
});
