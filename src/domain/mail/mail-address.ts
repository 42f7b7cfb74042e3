import { invalid } from '../../base/index.ts';
import { LOCAL_DOMAIN, NAME_PREFIX } from '../../wire/houmao/index.ts';

/**
 * Who mail is from and for. An address is `local@domain`. It is also the name of a folder, so its grammar is narrow.
 * Case matters before the @ (`A@x` and `a@x` are two mailboxes) but not after it: domains are lower-case.
 */
const ADDRESS = /^[A-Za-z0-9][A-Za-z0-9._+-]*@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;

/** A mailbox folder put aside. Its name would pass as an address, so it is refused as one. */
const STASHED_NAME = /^(.+)--([0-9a-f]{32})$/;

/** An address becomes the name of a folder, and gets a suffix if the folder is put aside. */
const MAX_ADDRESS_LENGTH = 200;

const SYSTEM_PREFIX = `${NAME_PREFIX}-`;

export function isAddress(text: string): boolean {
  return (
    text.length <= MAX_ADDRESS_LENGTH &&
    ADDRESS.test(text) &&
    !text.includes('..') &&
    !STASHED_NAME.test(text)
  );
}

/** One spelling for each mailbox: without white space around it, with the domain in lower case. */
export function canonicalAddress(text: string): string {
  const address = text.trim();
  const at = address.lastIndexOf('@');
  return at === -1 ? address : address.slice(0, at) + address.slice(at).toLowerCase();
}

/** Returns the canonical address, or throws `invalid` naming the field. */
export function parseAddress(text: string, field = 'address'): string {
  const address = canonicalAddress(text);
  if (address.length > MAX_ADDRESS_LENGTH)
    throw invalid(`${field} is longer than ${MAX_ADDRESS_LENGTH} characters`, {
      hint: 'use a shorter address',
    });
  if (!isAddress(address)) {
    throw invalid(`${field} must be a full mail address, not ${JSON.stringify(text.slice(0, 80))}`, {
      hint: `write it as name@${LOCAL_DOMAIN}`,
    });
  }
  return address;
}

/** Returns the address in `<address>--<32 hex>`, or undefined if the name is not that of a stashed mailbox. */
export function stashedAddress(name: string): string | undefined {
  const address = STASHED_NAME.exec(name)?.[1];
  return address !== undefined && isAddress(address) ? address : undefined;
}

export function localPart(address: string): string {
  return address.slice(0, address.lastIndexOf('@'));
}

/** `worker 1` → `worker-1` in the local domain. */
export function agentAddress(agentName: string): string {
  const bare = agentName.startsWith(SYSTEM_PREFIX) ? agentName.slice(SYSTEM_PREFIX.length) : agentName;
  const local = bare.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^[_-]+/, '');
  return parseAddress(`${local}@${LOCAL_DOMAIN}`, `mail address of agent ${JSON.stringify(agentName)}`);
}

/** Returns the name with the prefix of the system. */
export function agentPrincipal(agentName: string): string {
  return agentName.startsWith(SYSTEM_PREFIX) ? agentName : `${SYSTEM_PREFIX}${agentName}`;
}

/** Addresses that only the system may own, so that no one can pass for the operator. */
export function isReservedAddress(address: string): boolean {
  const at = address.lastIndexOf('@');
  return (
    address.slice(at + 1).toLowerCase() === LOCAL_DOMAIN &&
    address.slice(0, at).toUpperCase().startsWith(SYSTEM_PREFIX)
  );
}
