import { describe, expect, it } from 'vitest';
import {
  type Identity,
  maySeeOrg,
  partyOf,
  requireAdmin,
  requireGrant,
  requirePerson,
  requireServerAdmin,
  requireWorkspace,
} from './identity.ts';

const person = { tokenId: 't', orgId: 'org-1', userId: 'ana', grants: [] };
const CALLERS: Record<string, Identity> = {
  agent: { kind: 'agent', tokenId: 't', orgId: 'org-1', workspaceId: 'w-1' },
  'other agent': { kind: 'agent', tokenId: 't', orgId: 'org-1', workspaceId: 'w-2' },
  user: { ...person, kind: 'user' },
  launcher: { ...person, kind: 'user', grants: ['launch'] },
  admin: { ...person, kind: 'admin' },
  'other admin': { ...person, kind: 'admin', orgId: 'org-2' },
  'server admin': { ...person, kind: 'admin', orgId: null },
};

const admitted = (check: (caller: Identity) => unknown): string[] =>
  Object.entries(CALLERS).flatMap(([name, caller]) => {
    try {
      check(caller);
      return [name];
    } catch (error) {
      expect(error).toMatchObject({ code: 'forbidden' });
      return [];
    }
  });

describe('who passes', () => {
  it('requireWorkspace: the agent itself and administrators of its org', () => {
    expect(admitted((caller) => requireWorkspace(caller, { id: 'w-1', orgId: 'org-1' }))).toEqual([
      'agent',
      'admin',
      'server admin',
    ]);
  });

  it('requirePerson: everyone but agents', () => {
    expect(admitted(requirePerson)).not.toContain('agent');
    expect(admitted(requirePerson)).toHaveLength(5);
  });

  it('requireAdmin: administrators of any org; requireServerAdmin: of the whole server only', () => {
    expect(admitted(requireAdmin)).toEqual(['admin', 'other admin', 'server admin']);
    expect(admitted(requireServerAdmin)).toEqual(['server admin']);
  });

  it('requireGrant: tokens with the grant and administrators of the whole server', () => {
    expect(admitted((caller) => requireGrant(caller, 'launch'))).toEqual(['launcher', 'server admin']);
    expect(admitted((caller) => requireGrant(caller, 'shutdown'))).toEqual(['server admin']);
  });
});

it('an identity sees its own org, and an administrator of the whole server sees every org', () => {
  expect(maySeeOrg(CALLERS['admin']!, 'org-1')).toBe(true);
  expect(maySeeOrg(CALLERS['admin']!, 'org-2')).toBe(false);
  expect(maySeeOrg(CALLERS['server admin']!, 'org-2')).toBe(true);
});

it('an agent is a party by its workspace, a person by the name on the token', () => {
  expect(partyOf(CALLERS['agent']!)).toEqual({ type: 'agent', id: 'w-1' });
  expect(partyOf(CALLERS['admin']!)).toEqual({ type: 'user', id: 'ana' });
});
