import * as fs from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../base/index.ts';
import { type MailStore, openMailStore, repairMailStore } from './index.ts';
import { at, TestRoot } from './world.testing.ts';

let world: TestRoot;
afterEach(() => world.end());

const NAMES = ['ana', 'ben', 'cat'];
const BOXES = ['inbox', 'archive', 'later', 'sent'];

type Step = { kind: 'send' | 'move'; who: number; to: number; pick: number; box: number; through: 0 | 1 };

/** One step through one of two openings of the root, as two processes would make it. */
async function take(step: Step, stores: readonly MailStore[]): Promise<void> {
  const mailbox = stores[step.through]!.mailbox(at(NAMES[step.who]!));
  if (step.kind === 'send') {
    const to = [at(NAMES[step.to]!), at(NAMES[(step.to + step.pick) % NAMES.length]!)];
    await mailbox.send({ to, subject: 's', body_content: 'b' });
    return;
  }
  const pages = await Promise.all(BOXES.map((box) => mailbox.list({ box })));
  const refs = pages.flatMap(({ messages }) => messages.map(({ message_ref }) => message_ref));
  if (refs.length > 0) await mailbox.move([refs[step.pick % refs.length]!], BOXES[step.box]!);
}

/** What the folders show, and what the index says. */
function views(store: MailStore): { shown: string[]; said: string[] } {
  const shown = NAMES.flatMap((name) =>
    world.files('mailboxes', at(name)).map((file) => `${at(name)}/${file.replace(/\.md$/, '')}`),
  );
  const said = store.db
    .all<{ link: string }>(
      `SELECT r.address || '/' || s.box || '/' || m.message_id AS link FROM mail_state s
       JOIN messages m ON m.seq = s.seq JOIN mailbox_registrations r ON r.number = s.registration`,
    )
    .map(({ link }) => link);
  return { shown: shown.sort(), said: said.filter((link) => !link.startsWith('HOUMAO')).sort() };
}

describe('index, files and folders', () => {
  it('index, files and folders are in step after whatever two openings of a root did at the same time', async () => {
    const step: fc.Arbitrary<Step> = fc.record({
      kind: fc.constantFrom('send', 'move', 'move'),
      who: fc.nat(2),
      to: fc.nat(2),
      pick: fc.nat(50),
      box: fc.nat(BOXES.length - 1),
      through: fc.constantFrom(0, 1),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { maxLength: 6 }), { minLength: 1, maxLength: 8 }),
        async (rounds) => {
          world = new TestRoot(...NAMES);
          const stores = [world.store, openMailStore({ root: world.root })];
          for (const round of rounds) await Promise.all(round.map((each) => take(each, stores)));
          for (const store of stores) await store.close();
          await world.reopen();
          const { shown, said } = views(world.store);
          expect(shown).toEqual(said);
          expect(world.files('messages')).toHaveLength(
            world.store.db.get<{ n: number }>('SELECT count(*) AS n FROM messages')!.n,
          );
          expect(world.store.db.all('SELECT * FROM unpublished')).toEqual([]);
          await world.end();
        },
      ),
      { numRuns: 15 },
    );
  });

  it('index, files and folders are in step when one opening publishes a move after another has moved the message back', async () => {
    world = new TestRoot(...NAMES);
    await world.send('ana', 'ben', 'there and back');
    await world.store.published();
    // It publishes only when this clock moves, or on request.
    const late = openMailStore({ root: world.root, clock: new FakeClock() });
    const ref = (await world.mailbox('ben').list()).messages[0]!.message_ref;
    await late.mailbox(at('ben')).move([ref], 'later');
    await world.mailbox('ben').move([ref], 'inbox');
    await world.store.published();
    await late.published();
    await late.close();
    const { shown, said } = views(world.store);
    expect(shown).toEqual(said);
  });

  it('index, files and folders come out of repair as they were, whatever was lost of them', async () => {
    const loss = fc.record({ index: fc.boolean(), links: fc.nat(9), files: fc.nat(9) });
    await fc.assert(
      fc.asyncProperty(loss, async ({ index, links, files }) => {
        world = new TestRoot(...NAMES);
        for (let n = 0; n < 6; n++) {
          await world.send('ana', 'ben', `m${n}`);
          if (n % 2 === 0) continue;
          const ben = world.mailbox('ben');
          const { messages } = await ben.list();
          await ben.move([messages[0]!.message_ref], BOXES[n % 3]!);
        }
        await world.store.close();
        await world.reopen();
        const before = views(world.store);
        await world.store.close();
        for (const link of world.files('mailboxes').slice(0, links)) fs.rmSync(world.path('mailboxes', link));
        if (index)
          for (const end of ['', '-wal', '-shm'])
            fs.rmSync(world.path(`index.sqlite${end}`), { force: true });
        else
          for (const file of world.files('messages').slice(0, files)) fs.rmSync(world.path('messages', file));
        await repairMailStore({ root: world.root });
        await world.reopen();
        expect(views(world.store)).toEqual(before);
        await world.end();
      }),
      { numRuns: 10 },
    );
  });
});
