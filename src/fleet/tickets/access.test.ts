import { expect, it } from 'vitest';
import type { Identity } from '../identity/index.ts';
import {
  requireActionForKind,
  requireAnswerer,
  requireCanceller,
  requireParty,
  visibleTo,
} from './access.ts';
import type { TicketRow } from './ticket-row.ts';

const agent = (workspaceId: string): Identity => ({ kind: 'agent', tokenId: 't', orgId: 'org', workspaceId });
const person = (userId: string, over: object = {}): Identity => ({
  kind: 'user',
  tokenId: 't',
  orgId: 'org',
  userId,
  grants: [],
  ...over,
});
const CALLERS = {
  requester: agent('w-1'),
  recipient: agent('w-2'),
  stranger: agent('w-3'),
  ana: person('ana'),
  'ana, by a page link': person('ana', { orgId: null }),
  'ben, by a page link': person('ben', { orgId: null }),
  admin: person('eve', { kind: 'admin' }),
} satisfies Record<string, Identity>;

const row = (over: Partial<TicketRow>): TicketRow =>
  ({
    kind: 'task',
    requester_type: 'agent',
    requester_id: 'w-1',
    recipient_type: 'agent',
    recipient_id: 'w-2',
    ...over,
  }) as TicketRow;
const TO_AGENT = row({});
const TO_ANA = row({ recipient_type: 'user', recipient_id: 'ana' });

const admitted = (check: (caller: Identity, row: TicketRow) => void, ticket: TicketRow): string[] =>
  Object.entries(CALLERS).flatMap(([name, caller]) => {
    try {
      check(caller, ticket);
      return [name];
    } catch {
      return [];
    }
  });

it('a ticket between agents is visible to both and to administrators', () => {
  expect(admitted(requireParty, TO_AGENT)).toEqual(['requester', 'recipient', 'admin']);
});

it('a ticket to a person is visible to every person of the org, but on a page link only to the one named', () => {
  expect(admitted(requireParty, TO_ANA)).toEqual(['requester', 'ana', 'ana, by a page link', 'admin']);
  expect(admitted(requireParty, row({ recipient_type: 'user', recipient_id: '' }))).toContain(
    'ben, by a page link',
  );
});

it('only the recipient and administrators may answer a ticket, and never the requester', () => {
  expect(admitted(requireAnswerer, TO_AGENT)).toEqual(['recipient', 'admin']);
  const own = row({ requester_type: 'user', requester_id: 'eve', recipient_type: 'user', recipient_id: '' });
  expect(() => requireAnswerer(CALLERS.admin, own)).toThrow('you cannot answer your own request');
});

it('only the requester and administrators may cancel a ticket', () => {
  expect(admitted(requireCanceller, TO_ANA)).toEqual(['requester', 'admin']);
});

it('a ticket takes only the answers of its kind', () => {
  requireActionForKind(row({ kind: 'task' }), 'done');
  expect(() => requireActionForKind(row({ kind: 'task' }), 'approved')).toThrow('is answered by');
  requireActionForKind(row({ kind: 'approval' }), 'approved');
});

it('the condition for lists of tickets uses the parameters from the given number on', () => {
  const { condition, params } = visibleTo(CALLERS.requester, 3);
  expect(condition).toContain('$3::uuid');
  expect(condition).toContain("r.requester_type = 'agent' AND r.requester_id = $4::text");
  expect(params).toEqual(['org', 'w-1']);
  expect(visibleTo(CALLERS.admin, 1).condition).not.toContain('requester_id');
});
