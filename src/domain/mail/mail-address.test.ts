import { describe, expect, it } from 'vitest';
import { canonicalAddress, isReservedAddress, parseAddress } from './mail-address.ts';

describe('a mail address', () => {
  it('a mail address has one spelling of its domain, and keeps the case before the @', () => {
    expect(parseAddress(' Victim@HOUMAO.LocalHost ')).toBe('Victim@houmao.localhost');
    expect(canonicalAddress('no address')).toBe('no address');
  });

  it('an address of the system is reserved in every spelling', () => {
    for (const address of ['HOUMAO-operator@HOUMAO.localhost', 'houmao-x@houmao.LOCALHOST'])
      expect(isReservedAddress(address), address).toBe(true);
  });
});
