import { commandLine, conflict, notFound, utcStamp } from '../../../base/index.ts';
import { definitionOf } from '../../../domain/index.ts';
import { nextCronMs } from '../../../domain/reminder/cron.ts';
import type { Handlers } from '../../../http/index.ts';
import type { PAGE_ROUTES, PutReminderInput, Reminder } from '../../../wire/index.ts';
import type { Doing } from '../doing.ts';
import type { PageDoor } from '../door/page-door.ts';
import type { AgentReach } from './agent-reach.ts';

type ReminderRoutes = Pick<
  typeof PAGE_ROUTES,
  | 'page.reminders.create'
  | 'page.reminders.edit'
  | 'page.reminders.order'
  | 'page.reminders.pause'
  | 'page.reminders.delete'
  | 'page.reminders.restore'
  | 'page.reminders.next'
>;
type Call<K extends keyof ReminderRoutes> = Parameters<Handlers<ReminderRoutes>[K]>[0];

interface ReminderParts {
  door: PageDoor;
  doing: Doing;
  reach: AgentReach;
}

type Gateway = Awaited<ReturnType<AgentReach['requireGateway']>>;

const NEXT_TIMES = 3;

/** What people do with the reminders of an agent. Each change goes to its gateway, which checks it as from a program. */
export function reminderHandlers(on: ReminderParts): Handlers<ReminderRoutes> {
  return { ...making(on), ...changing(on), ...removing(on) };
}

function making({ door, doing, reach }: ReminderParts) {
  return {
    'page.reminders.create': async ({ context, params, body }: Call<'page.reminders.create'>) => {
      const session = door.require(context, 'operate');
      const { action_id: actionId, reminder } = await body();
      const agent = await reach.find(params.name);
      const target = agent.row.name;
      const act = { action: 'reminder.create', target, actionId, asked: reminder, repeatable: false };
      return doing.receipt(session, act, async () => {
        const gateway = await reach.requireGateway(agent, session);
        const { reminders } = await gateway.call('reminders.create', { body: { reminders: [reminder] } });
        return {
          sentence: `Reminder “${reminder.title}” of ${agent.row.name} is due ${reminders[0]?.next_due_at_utc}.`,
        };
      });
    },
    'page.reminders.next': ({ context, query }: Call<'page.reminders.next'>) => {
      door.require(context);
      const { cron, time_zone } = query();
      const zone = time_zone ?? 'UTC';
      const times: string[] = [];
      for (let at = doing.now().getTime(); times.length < NEXT_TIMES; ) {
        const next = nextCronMs(cron, zone, at);
        if (next === undefined) break;
        times.push(utcStamp(new Date(next)));
        at = next;
      }
      return { time_zone: zone, next_due_utc: times };
    },
  };
}

/** It is sent back unchanged but for the change, keys included. */
async function change(gateway: Gateway, known: Reminder, change: Partial<PutReminderInput>): Promise<void> {
  await gateway.call('reminders.put', {
    reminder_id: known.reminder_id,
    body: { ...definitionOf(known), ...change },
  });
}

function changing({ door, doing, reach }: ReminderParts) {
  return {
    'page.reminders.edit': async ({ context, params, body }: Call<'page.reminders.edit'>) => {
      const session = door.require(context, 'operate');
      const { action_id: actionId, ...asked } = await body();
      const agent = await reach.find(params.name);
      const id = params.reminder_id;
      const act = { action: 'reminder.edit', target: id, actionId, asked, repeatable: true };
      return doing.receipt(session, act, async () => {
        const gateway = await reach.requireGateway(agent, session, 'owner');
        const known = await gateway.call('reminders.get', { reminder_id: id });
        if (asked.prompt !== undefined && known.prompt === null)
          throw conflict('this reminder presses keys and has no prompt', {
            hint: 'remove it and create another one',
          });
        await change(gateway, known, asked);
        return { sentence: `Reminder “${asked.title ?? known.title}” was changed.` };
      });
    },
    'page.reminders.order': async ({ context, params, body }: Call<'page.reminders.order'>) => {
      const session = door.require(context, 'operate');
      const { action_id: actionId, order } = await body();
      const agent = await reach.find(params.name);
      const target = agent.row.name;
      const act = { action: 'reminder.order', target, actionId, asked: order, repeatable: true };
      return doing.receipt(session, act, async () => {
        const gateway = await reach.requireGateway(agent, session, 'owner');
        const { reminders } = await gateway.reminders();
        const known = new Map(reminders.map((each) => [each.reminder_id, each]));
        if (
          order.length !== known.size ||
          new Set(order).size !== known.size ||
          order.some((id) => !known.has(id))
        )
          throw conflict('the reminders have changed since the page showed them', {
            hint: 'look again, then order them',
          });
        let rank = Number.NEGATIVE_INFINITY;
        let isLeading = true;
        for (const id of order) {
          const one = known.get(id)!;
          // As few ranks as possible change: only those that do not rise.
          const next = one.ranking > rank ? one.ranking : rank + 1;
          if (next !== one.ranking) await change(gateway, one, { ranking: next });
          rank = next;
          isLeading = false;
        }
        return {
          sentence: isLeading ? 'There are no reminders.' : `“${known.get(order[0]!)!.title}” is first.`,
        };
      });
    },
    'page.reminders.pause': async ({ context, params, body }: Call<'page.reminders.pause'>) => {
      const session = door.require(context, 'operate');
      const { action_id: actionId, paused } = await body();
      const agent = await reach.find(params.name);
      const id = params.reminder_id;
      const act = { action: 'reminder.pause', target: id, actionId, asked: paused, repeatable: true };
      return doing.receipt(session, act, async () => {
        const gateway = await reach.requireGateway(agent, session, 'owner');
        const known = await gateway.call('reminders.get', { reminder_id: id });
        await change(gateway, known, { paused });
        return { sentence: `Reminder “${known.title}” is ${paused ? 'paused' : 'live again'}.` };
      });
    },
  };
}

interface Removed {
  agentId: string;
  person: string;
  definition: ReturnType<typeof definitionOf<Reminder>>;
}

/** As many removals can be undone, the latest ones. They are offered for seconds, so they are not stored. */
const MAX_REMOVED = 100;

function removing({ door, doing, reach }: ReminderParts) {
  const removed = new Map<string, Removed>();
  return {
    'page.reminders.delete': async ({ context, params, body }: Call<'page.reminders.delete'>) => {
      const session = door.require(context, 'operate');
      const { action_id: actionId } = await body();
      const agent = await reach.find(params.name);
      const id = params.reminder_id;
      const act = { action: 'reminder.delete', target: id, actionId, asked: id, repeatable: true };
      return doing.receipt(session, act, async () => {
        const gateway = await reach.requireGateway(agent, session, 'owner');
        const known = await gateway.call('reminders.get', { reminder_id: id });
        await gateway.call('reminders.delete', { reminder_id: id });
        removed.set(actionId, {
          agentId: agent.row.id,
          person: session.name,
          definition: definitionOf(known),
        });
        for (const [oldest] of removed) if (removed.size > MAX_REMOVED) removed.delete(oldest);
        return {
          sentence: `Reminder “${known.title}” was removed.`,
          command: commandLine`rouse agents gateway reminders remove ${agent.row.name} --reminder-id ${id}`,
        };
      });
    },
    'page.reminders.restore': async ({ context, params, body }: Call<'page.reminders.restore'>) => {
      const session = door.require(context, 'operate');
      const { action_id: actionId, removal } = await body();
      const agent = await reach.find(params.name);
      const act = {
        action: 'reminder.restore',
        target: agent.row.name,
        actionId,
        asked: removal,
        repeatable: false,
      };
      return doing.receipt(session, act, async () => {
        const last = removed.get(removal);
        if (!last || last.agentId !== agent.row.id || last.person !== session.name)
          throw notFound('this removal can no longer be undone', { hint: 'create the reminder again' });
        const gateway = await reach.requireGateway(agent, session, 'owner');
        await gateway.call('reminders.create', { body: { reminders: [last.definition] } });
        removed.delete(removal);
        return { sentence: `Reminder “${last.definition.title}” is back.` };
      });
    },
  };
}
