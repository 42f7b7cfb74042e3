import { notFound, utcStamp } from '../../../base/index.ts';
import type { Handlers } from '../../../http/index.ts';
import type { SessionContext } from '../../../session/index.ts';
import type { PAGE_ROUTES } from '../../../wire/index.ts';
import type { Doing } from '../doing.ts';
import type { PageDoor } from '../door/page-door.ts';
import { withPush } from './push-outbox.ts';

type PushRoutes = Pick<typeof PAGE_ROUTES, 'page.push' | 'page.push.add' | 'page.push.remove'>;

interface PushHandlerParts {
  door: PageDoor;
  doing: Doing;
  session: SessionContext | undefined;
}

const ADD = 'rouse notify add web-push';

/** A person turns Web Push on in a browser, for which the owner has added notices on the command line. */
export function pushHandlers({ door, doing, session }: PushHandlerParts): Handlers<PushRoutes> {
  return {
    'page.push': async ({ context }) => {
      const { name } = door.require(context, 'answer');
      const found = await withPush(session, (outbox, { readVapidKeys, devicesOf }, directory) => ({
        key: readVapidKeys(directory)?.publicKey,
        ...devicesOf(outbox, name),
      }));
      return {
        public_key: found?.key ?? null,
        is_free: found?.isFree ?? false,
        devices: (found?.own ?? []).map(({ id, device: { name: called, since_utc } }) => ({
          ...{ id, name: called, since_utc },
        })),
      };
    },
    'page.push.add': async ({ context, body }) => {
      const { name: person, ...own } = door.require(context, 'answer');
      const { action_id: actionId, ...given } = await body();
      const act = { action: 'push.add', target: given.name, actionId, asked: given, repeatable: true };
      return doing.receipt({ name: person, ...own }, act, async () => {
        const device = { ...given, person, session: own.id, since_utc: utcStamp(doing.now()) };
        const id = await withPush(session, (outbox, { addDevice }) => addDevice(outbox, device));
        if (id === undefined) throw notFound('no Web Push waits for a browser of yours', { hint: ADD });
        return { sentence: 'This browser gets notices, also when the page is closed.', ref: String(id) };
      });
    },
    'page.push.remove': async ({ context, body }) => {
      const caller = door.require(context, 'answer');
      const { action_id: actionId, id } = await body();
      const act = { action: 'push.remove', target: String(id), actionId, asked: { id }, repeatable: true };
      return doing.receipt(caller, act, async () => {
        const removed = await withPush(session, (outbox, { removeDevices }) =>
          removeDevices(outbox, ({ person }, of) => of === id && person === caller.name),
        );
        if (!removed) throw notFound(`you have no browser ${id} with Web Push`);
        return { sentence: 'This browser gets no notices any more.' };
      });
    },
  };
}
