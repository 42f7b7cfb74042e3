import { nearest, notFound, type RouseError } from '../../base/index.ts';
import { NAME_PREFIX } from '../../wire/houmao/index.ts';
import { localPart } from './mail-address.ts';
import type { MailPrincipal } from './mail-principal.ts';

/**
 * No one has this address. The hint names the one that was probably meant: the only mailbox whose name or owner
 * matches, else the nearest spellings.
 */
export function unknownRecipient(
  typed: string,
  known: readonly Pick<MailPrincipal, 'address' | 'principal_id'>[],
): RouseError {
  const name = typed.includes('@') ? localPart(typed) : typed;
  const same = known.filter(
    ({ address, principal_id: owner }) =>
      localPart(address) === name || owner === name || owner === `${NAME_PREFIX}-${name}`,
  );
  const likely = same.length === 1 ? [same[0]!.address] : nearestAddresses(name, known);
  const message = typed.includes('@')
    ? `no mailbox is registered for ${typed}`
    : `recipient must be a full mail address, not ${JSON.stringify(typed.slice(0, 80))}`;
  const hint =
    likely.length > 0
      ? `did you mean ${likely.join(' or ')}?`
      : 'register it first: rouse mailbox register --address ADDRESS';
  return notFound(message, { hint, facts: { recipient: typed, suggestions: likely } });
}

/** Compares the names before the @, because domains are long and alike and would make every address look near. */
function nearestAddresses(name: string, known: readonly { address: string }[]): string[] {
  const byName = nearest(name, new Set(known.map(({ address }) => localPart(address))));
  const addresses = byName.flatMap((local) =>
    known.filter(({ address }) => localPart(address) === local).map(({ address }) => address),
  );
  return addresses.slice(0, 3);
}
