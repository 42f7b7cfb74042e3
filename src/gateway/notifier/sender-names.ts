import { isAgentIdentifier, OPERATOR } from '../../domain/index.ts';

/** The names of registered agents by their mail address. */
export type RegisteredNames = ReadonlyMap<string, string>;

const YOU = 'you';
const SOMEONE = 'someone outside';
const MAX_NAMED = 8;

/**
 * Who the mail is from, in words that may be typed into an agent: the names of registered agents, "you" for the person,
 * "someone outside" for everyone else. A name is only used if it is a valid agent name and none of our own words, so
 * no sender can choose what is typed.
 */
export function senderNames(addresses: readonly string[], registered: RegisteredNames): string[] {
  const names = new Set(addresses.map((address) => nameOf(address, registered)));
  const all = [...names].filter((name) => name !== SOMEONE);
  const shown = all.slice(0, MAX_NAMED);
  const more = all.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : []), ...(names.has(SOMEONE) ? [SOMEONE] : [])];
}

function nameOf(address: string, registered: RegisteredNames): string {
  if (address === OPERATOR.address) return YOU;
  const name = registered.get(address);
  return name !== undefined && isAgentIdentifier(name) && name.toLowerCase() !== YOU ? name : SOMEONE;
}
