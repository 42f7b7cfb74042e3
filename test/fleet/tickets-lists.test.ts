import { describe, expect, it } from 'vitest';
import { newUuid } from '../../src/base/index.ts';
import type { Identity } from '../../src/fleet/identity/index.ts';
import { createToken, ensureOrg } from '../../src/fleet/index.ts';
import { listInbox, listOutgoing, readEvents } from '../../src/fleet/tickets/index.ts';
import { databases } from '../support/fleet.ts';
import { failure, TicketTenant } from './ticket-tenant.ts';

describe.each(databases(import.meta.filename))('lists and events of requests on %s', (_, open) => {
  const t = TicketTenant.perTest(open);

  describe('lists', () => {
    it('lists of requests show what is open, most urgent first, then oldest, with the number of all', async () => {
      const [low, high, older, newer] = [
        await t.ask(t.ana, { priority: 1 }),
        await t.ask(t.ana, { priority: 90 }),
        await t.ask(t.ana),
        await t.ask(t.ana),
      ];
      const closed = await t.ask(t.ana, { priority: 100 });
      await t.respond(t.ben, closed, 'done');
      const { requests, total_open } = await t.inboxOf(t.ben);
      expect(requests.map(({ id }) => id)).toEqual([high, low, older, newer]);
      expect(total_open).toBe(4);
      expect((await t.inboxOf(t.ben, { status: 'done' })).requests.map(({ id }) => id)).toEqual([closed]);
      expect((await t.inboxOf(t.ben, { status: 'closed' })).requests.map(({ id }) => id)).toEqual([closed]);
      expect((await t.inboxOf(t.ben, { status: 'all' })).requests).toHaveLength(5);
      expect((await t.inboxOf(t.ana)).requests).toEqual([]);
    });

    it('lists of requests never hide an old open request behind newer ones, in whatever pages they are read', async () => {
      for (let i = 0; i < 23; i++) await t.ask(t.ana, { priority: i % 3 === 0 ? i : null, title: `r${i}` });
      // Equal times are ordered by id.
      await t.sql.query('UPDATE requests SET created_at = now() WHERE org_id = $1', [t.orgId]);
      const whole = (await t.inboxOf(t.ben, { limit: 200 })).requests.map(({ id }) => id);
      expect(whole).toHaveLength(23);
      for (const limit of [1, 4, 22, 23]) {
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await t.inboxOf(t.ben, { limit, cursor });
          seen.push(...page.requests.map(({ id }) => id));
          expect(page.total_open).toBe(23);
          cursor = page.next_cursor ?? undefined;
        } while (cursor);
        expect(seen).toEqual(whole);
      }
    });

    it('lists of requests go on from a cursor whose request has been closed, and refuse one that is not of the list', async () => {
      for (let i = 0; i < 4; i++) await t.ask(t.ana);
      const first = await t.inboxOf(t.ben, { limit: 2 });
      await t.respond(t.ben, first.next_cursor!, 'done');
      const rest = await t.inboxOf(t.ben, { limit: 2, cursor: first.next_cursor! });
      expect(rest.requests).toHaveLength(2);
      const other = await t.ask(t.ben, { recipient_id: 'ana' });
      for (const cursor of [other, 'x', newUuid()]) {
        expect((await failure(t.inboxOf(t.ben, { cursor }))).code).toBe('invalid');
      }
    });

    it('lists of requests show a row with a broken id among the others, and it can be answered', async () => {
      const id = await t.ask(t.ana);
      await t.sql.query(`UPDATE requests SET requester_id = 'not-a-uuid' WHERE id = $1`, [id]);
      const { requests } = await t.inboxOf(t.ben);
      expect(requests).toMatchObject([{ id, requester_id: 'not-a-uuid', requester_name: null }]);
      expect((await t.respond(t.ben, id, 'done')).status).toBe('done');
    });

    it('lists of requests show what a person asked, newest first, by pages', async () => {
      const ids = [await t.ask(t.ana), await t.ask(t.ana), await t.ask(t.ana)];
      const party = { type: 'agent' as const, id: t.ana.workspaceId };
      const first = await listOutgoing(t.sql, { orgId: t.orgId, party }, { limit: 2 });
      expect(first.requests.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
      const rest = await listOutgoing(
        t.sql,
        { orgId: t.orgId, party },
        { limit: 2, cursor: first.next_cursor! },
      );
      expect(rest.requests.map(({ id }) => id)).toEqual([ids[0]]);
      expect(rest.next_cursor).toBeNull();
    });

    it("lists of requests show a person what is for them and what anyone may take, not another person's", async () => {
      await createToken(t.sql, { kind: 'user', orgId: t.orgId, subject: 'dora' });
      const mine = await t.ask(t.ana, { recipient_type: 'user', recipient_id: 'carl' });
      const anybody = await t.ask(t.ana, { recipient_type: 'user', recipient_id: '' });
      await t.ask(t.ana, { recipient_type: 'user', recipient_id: 'dora' });
      const { requests } = await listInbox(
        t.sql,
        { orgId: t.orgId, party: { type: 'user', id: 'carl' } },
        {},
      );
      expect(requests.map(({ id }) => id)).toEqual([mine, anybody]);
    });
  });

  describe('events', () => {
    it('events of requests are never changed, not even by SQL', async () => {
      await t.ask(t.ana);
      await expect(
        t.sql.query(`UPDATE request_events SET type = 'x' WHERE org_id = $1`, [t.orgId]),
      ).rejects.toThrow('never changed');
    });

    it('events of requests become visible in the order of their ids, so that a reader who goes on after one misses none', async () => {
      const seen: number[] = [];
      let writing = true;
      const reader = (async () => {
        while (writing) {
          const events = await readEvents(t.sql, t.ana, { after: seen.at(-1) ?? 0 });
          seen.push(...events.map(({ id }) => id));
          await new Promise(setImmediate);
        }
      })();
      await Promise.all(Array.from({ length: 40 }, () => t.ask(t.ana)));
      writing = false;
      await reader;
      const rest = await readEvents(t.sql, t.ana, { after: seen.at(-1) ?? 0 });
      expect([...seen, ...rest.map(({ id }) => id)]).toHaveLength(40);
    });

    it('events of requests are those of requests one may see', async () => {
      const id = await t.ask(t.ana, { recipient_type: 'user', recipient_id: '' });
      await t.ask(t.ana);
      const requestsSeen = async (who: Identity) =>
        (await readEvents(t.sql, who, { after: 0 })).map(({ request_id }) => request_id);
      expect(await requestsSeen(t.carl)).toEqual([id]);
      expect(await requestsSeen(t.ana)).toHaveLength(2);
      expect(await requestsSeen(t.ben)).toHaveLength(1);
      expect(await requestsSeen({ ...t.carl, kind: 'admin' })).toHaveLength(2);
      const other = await ensureOrg(t.sql, `o${newUuid()}`);
      expect(await requestsSeen({ ...t.carl, kind: 'admin', orgId: other.id })).toEqual([]);
    });
  });
});
