import { commandLine, notFound, type RouseError } from '../../../base/index.ts';
import type { Sqlite } from '../../../db/index.ts';
import { isAddress, unknownRecipient } from '../../../domain/index.ts';
import { listRegistrations, type Registration } from './registration-rows.ts';

/** Why this address cannot be used: its mailbox is inactive, or no one has it and another was probably meant. */
export function noActiveMailbox(db: Sqlite, address: string): RouseError {
  const all = listRegistrations(db);
  const active = all.filter(({ status }) => status === 'active');
  const former = all.find((registration) => registration.address === address);
  if (former && isAddress(address) && !active.some((registration) => registration.address === address)) {
    return notFound(`mailbox ${address} is registered but ${former.status}`, {
      hint: `activate it: ${registerLine(former)}`,
      facts: { recipient: address, status: former.status },
    });
  }
  return unknownRecipient(
    address,
    active.map(({ address, owner_principal_id: principal_id }) => ({ address, principal_id })),
  );
}

/** The command that registers the same mailbox again. With fewer options it would ask to stash or replace it. */
function registerLine({
  address,
  owner_principal_id: owner,
  mailbox_kind,
  mailbox_path,
}: Registration): string {
  const line = commandLine`rouse mailbox register --address ${address} --principal-id ${owner}`;
  return mailbox_kind === 'symlink' ? line + commandLine` --mailbox-path ${mailbox_path}` : line;
}
