import { commandLine } from '../../../base/index.ts';
import { pausedWords } from '../../../domain/index.ts';
import type { Handlers } from '../../../http/index.ts';
import type { PAGE_ROUTES } from '../../../wire/index.ts';
import type { ActionParts } from './action-handlers.ts';

type PauseRoutes = Pick<typeof PAGE_ROUTES, 'page.agent.pause'>;

/** A person pauses an agent or resumes it. */
export function pauseHandler({ door, doing, reach }: ActionParts): Handlers<PauseRoutes> {
  return {
    'page.agent.pause': async ({ context, params, body }) => {
      const session = door.require(context, 'operate');
      const { action_id: actionId, paused, until_utc = null } = await body();
      const agent = await reach.find(params.name);
      const { name } = agent.row;
      const act = { action: paused ? 'pause' : 'resume', target: name, actionId, repeatable: true };
      return doing.receipt(session, { ...act, asked: { paused, until_utc } }, async () => {
        const gateway = await reach.requireGateway(agent, session);
        if (!paused) {
          await gateway.call('pause.end', {});
          return {
            sentence: `${name} is resumed: what waited goes on as it becomes ready.`,
            command: commandLine`rouse resume ${name}`,
          };
        }
        const { paused: since } = await gateway.call('pause.begin', { body: { until_utc } });
        return {
          sentence: `${name} is paused ${pausedWords(since!)}: its mail arrives and waits.`,
          command: commandLine`rouse pause ${name}`,
        };
      });
    },
  };
}
