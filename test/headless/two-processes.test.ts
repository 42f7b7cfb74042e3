import { afterAll, beforeAll, expect, it } from 'vitest';
import { readReason } from '../../src/domain/index.ts';
import type { HeadlessManifest, HeadlessOptions } from '../../src/terminal/headless/index.ts';
import { type HeadlessSession, HeadlessWorld } from './headless-world.ts';
import { withAgent } from './open-agent.ts';

let world: HeadlessWorld;
beforeAll(async () => {
  world = await HeadlessWorld.open();
});
afterAll(() => world.close());

/** Every process of a session saves progress in the manifest and reads it again. */
function sharing(session: HeadlessSession): Pick<HeadlessOptions, 'saveHeadless' | 'manifestNow'> {
  let manifest: HeadlessManifest = session.manifest;
  return {
    manifestNow: () => manifest,
    saveHeadless: async ({ sessionId, turnIndex, roleBootstrapApplied }) => {
      const headless = {
        session_id: sessionId,
        turn_index: turnIndex,
        role_bootstrap_applied: roleBootstrapApplied,
      };
      manifest = { ...manifest, headless };
    },
  };
}

it('two processes go on in one chat and with one numbering, whichever ran the turn before', async () => {
  const session = world.session();
  const shared = sharing(session);
  await withAgent(
    session,
    (first) =>
      withAgent(
        session,
        async (second) => {
          expect(await first.deliver('one', { requestId: 'r1' })).toMatchObject({ outcome: 'submitted' });
          expect(await second.deliver('two', { requestId: 'r2' })).toMatchObject({ outcome: 'submitted' });
          expect(await first.deliver('three', { requestId: 'r3' })).toMatchObject({ outcome: 'submitted' });
          const { session_id: id } = first.facts('r1', 'turn_finished');
          expect(second.facts('r2', 'submitted')['chat']).toEqual({ kind: 'exact', id });
          expect(first.facts('r3', 'submitted')['chat']).toEqual({ kind: 'exact', id });
          expect(session.read('turn-0003', 'prompt.txt')).toContain('three');
        },
        shared,
      ),
    shared,
  );
  expect(session.records('submitted')).toHaveLength(3);
});

it('a process that observes while another runs a turn spoils nothing, and takes a prompt when it has ended', async () => {
  const session = world.session();
  const shared = sharing(session);
  await withAgent(
    session,
    async (first) => {
      const turn = first.deliver('[[turn=1500ms]] [[words=40]]', { requestId: 'r1' });
      await first.reached('turn_seen');
      const refused = await withAgent(session, (other) => other.deliver('me too'), shared);
      expect(refused).toMatchObject({
        outcome: 'not_ready',
        reasons: [readReason("active_turn_id='turn-0001'")],
      });
      await withAgent(
        session,
        async (second) => {
          expect(second.surface.observation()).toMatchObject({ busy: true, ready: false });
          const free = second.surface.changed.next(({ ready }) => ready);
          expect(await turn).toMatchObject({ outcome: 'submitted' });
          await free;
          expect(await second.deliver('now me')).toMatchObject({ outcome: 'submitted' });
        },
        shared,
      );
    },
    shared,
  );
  const events = session.read('turn-0001', 'canonical-events.jsonl');
  expect(events).not.toContain('\0');
  const kinds = events
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).kind);
  expect([kinds[0], kinds.at(-1)]).toEqual(['progress', 'completion']);
  expect(session.records('submitted')).toHaveLength(2);
});

it('an idle process notices the turn another began, and waits for its end', async () => {
  const session = world.session();
  const shared = sharing(session);
  await withAgent(
    session,
    (idle) =>
      withAgent(
        session,
        async (other) => {
          const turn = other.deliver('[[turn=600s]]');
          await other.reached('submitted');
          expect(idle.surface.observation().ready).toBe(true);
          expect(await idle.deliver('mine')).toMatchObject({ outcome: 'not_ready', untouched: true });
          expect(idle.surface.observation()).toMatchObject({ ready: false, busy: true });
          const free = idle.surface.changed.next(({ ready }) => ready);
          await other.surface.interrupt('i1');
          expect((await turn).outcome).toBe('cancelled');
          await free;
          expect(await idle.deliver('mine')).toMatchObject({ outcome: 'submitted' });
        },
        shared,
      ),
    shared,
  );
});

it('an interrupt from another process is reported as one to the process that waits for the turn', async () => {
  const session = world.session();
  const shared = sharing(session);
  await withAgent(
    session,
    async (first) => {
      const turn = first.deliver('[[turn=600s]]');
      await first.reached('turn_seen');
      const interrupted = await withAgent(session, (other) => other.surface.interrupt('i1'), shared);
      expect(interrupted).toMatchObject({ outcome: 'submitted' });
      expect(await turn).toMatchObject({ outcome: 'cancelled', reasons: ['the turn was interrupted'] });
      expect(await first.deliver('next')).toMatchObject({ outcome: 'submitted' });
    },
    shared,
  );
});

it('a turn whose gateway was killed is known by its request, also when another process ran the next one', async () => {
  const session = world.session();
  const shared = sharing(session);
  await withAgent(session, (gateway) => gateway.deliver('queued', { requestId: 'r1' }), shared);
  await withAgent(session, (direct) => direct.deliver('direct', { requestId: 'direct-1' }), shared);
  await withAgent(
    session,
    async ({ surface }) => {
      const judged = (requestId: string) =>
        surface.recover({ requestId, text: 'queued', sinceUtc: '2026-01-01T00:00:00.000Z' });
      expect((await judged('r1')).verdict).toBe('submitted');
      expect((await judged('r2')).verdict).toBe('not_submitted');
    },
    shared,
  );
});
