import { commandLine } from '../../../base/index.ts';
import { pressChoice } from '../../../client/index.ts';
import { DIALOG_AFTER } from '../../../domain/index.ts';
import type { Handlers } from '../../../http/index.ts';
import type { PAGE_ROUTES } from '../../../wire/index.ts';
import type { Doing } from '../doing.ts';
import type { PageDoor } from '../door/page-door.ts';
import type { HostView } from '../host/host-view.ts';
import type { SeenMarks } from '../host/seen-marks.ts';
import type { AgentReach } from './agent-reach.ts';
import { reminderHandlers } from './reminder-handlers.ts';

type ActRoutes = Pick<
  typeof PAGE_ROUTES,
  'page.agent.seen' | 'page.agent.prompt' | 'page.agent.interrupt' | 'page.agent.dialog' | 'page.agent.cancel'
>;

type Call<K extends keyof ActRoutes> = Parameters<Handlers<ActRoutes>[K]>[0];

export interface ActionParts {
  door: PageDoor;
  doing: Doing;
  reach: AgentReach;
  view: HostView;
  seen: SeenMarks;
}

/**
 * A person's actions on an agent. Each goes to its gateway as a program would send it, with the click's id as its key.
 */
export function actionHandlers(on: ActionParts): Handlers<ActRoutes> & ReturnType<typeof reminderHandlers> {
  return {
    ...promptHandlers(on),
    ...lineHandlers(on),
    ...keyHandlers(on),
    ...reminderHandlers(on),
  };
}

function promptHandlers({ door, doing, reach }: ActionParts) {
  return {
    'page.agent.prompt': async ({ context, params, body }: Call<'page.agent.prompt'>) => {
      const session = door.require(context, 'operate');
      const { action_id: actionId, prompt } = await body();
      const agent = await reach.find(params.name);
      const { name } = agent.row;
      const act = { action: 'prompt', target: name, actionId, asked: prompt, repeatable: true };
      return doing.receipt(session, { ...act, detail: { characters: prompt.length } }, async () => {
        const gateway = await reach.requireGateway(agent, session);
        const accepted = await gateway.submitPrompt(
          { prompt },
          { idempotency_key: actionId, priority: 'high', wait_in_line: true },
        );
        const before = accepted.queue_depth - 1;
        return {
          status: 'accepted' as const,
          ref: accepted.request_id,
          sentence: `Accepted: queued for ${name}${before > 0 ? `, behind ${before}` : ''}; it is typed when ${name} is ready.`,
          command: queueCommand(name, prompt),
        };
      });
    },
    'page.agent.interrupt': async ({ context, params, body }: Call<'page.agent.interrupt'>) => {
      const session = door.require(context, 'operate');
      const { action_id: actionId } = await body();
      const agent = await reach.find(params.name);
      const { name } = agent.row;
      const act = { action: 'interrupt', target: name, actionId, asked: null, repeatable: true };
      return doing.receipt(session, act, async () => {
        const accepted = await (await reach.requireGateway(agent, session)).interrupt({
          idempotency_key: actionId,
        });
        return {
          status: 'accepted' as const,
          ref: accepted.request_id,
          sentence: `Accepted: the interrupt of ${name} is stored and comes first in its queue.`,
          command: commandLine`rouse agents interrupt ${name}`,
        };
      });
    },
  };
}

function lineHandlers({ door, doing, reach, view, seen }: ActionParts) {
  return {
    'page.agent.seen': async ({ context, params, body }: Call<'page.agent.seen'>) => {
      const session = door.require(context);
      const { action_id: actionId } = await body();
      const { row } = await reach.find(params.name);
      const act = { action: 'seen', target: row.name, actionId, asked: null, repeatable: true };
      return doing.receipt(session, act, async () => {
        await seen.mark(row.id);
        view.touch(row.name, 'timeline', row.id);
        return { sentence: `${row.name} is marked as seen.` };
      });
    },
    'page.agent.cancel': async ({ context, params, body }: Call<'page.agent.cancel'>) => {
      const session = door.require(context, 'operate');
      const { action_id: actionId } = await body();
      const agent = await reach.find(params.name);
      const { name } = agent.row;
      const id = params.request_id;
      const act = { action: 'cancel', target: `${name} ${id}`, actionId, asked: id, repeatable: true };
      return doing.receipt(session, act, async () => {
        await (await reach.requireGateway(agent, session)).call('requests.cancel', { request_id: id });
        return {
          ref: id,
          sentence: `Removed from the queue of ${name}; none of it was typed.`,
          command: commandLine`rouse agents gateway requests cancel ${name} --request-id ${id}`,
        };
      });
    },
  };
}

function keyHandlers({ door, doing, reach }: ActionParts) {
  return {
    'page.agent.dialog': async ({ context, params, body }: Call<'page.agent.dialog'>) => {
      const session = door.require(context, 'operate');
      const { action_id: actionId, dialog_hash: hash, key } = await body();
      const agent = await reach.find(params.name);
      const { name } = agent.row;
      const act = { action: 'dialog', target: name, actionId, asked: { hash, key }, repeatable: false };
      return doing.receipt(session, { ...act, detail: { key, dialog: hash } }, async () => {
        const gateway = await reach.requireGateway(agent, session);
        const { choice, after } = await pressChoice(gateway, { name, hash, key });
        return {
          sentence: `Sent ${key} (${choice.label}) to ${name}; ${DIALOG_AFTER[after]}.`,
          command: commandLine`rouse answer ${name} ${key}`,
        };
      });
    },
  };
}

/** A longer command is in the ledger but is not offered for copying. */
const MAX_COMMAND_LENGTH = 600;

const queueCommand = (name: string, prompt: string): string | null =>
  prompt.length > MAX_COMMAND_LENGTH
    ? null
    : commandLine`rouse agents gateway requests submit ${name} --prompt ${prompt}`;
