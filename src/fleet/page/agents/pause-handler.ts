import { commandLine } from '../../../base/index.ts';
import { type AgentPause, pausedWords } from '../../../domain/index.ts';
import type { Handlers } from '../../../http/index.ts';
import { pauseOffline, resumeOffline } from '../../../session/index.ts';
import type { PAGE_ROUTES } from '../../../wire/index.ts';
import type { Session } from '../door/page-sessions.ts';
import type { ReachedAgent } from './agent-reach.ts';
import type { LifeParts } from './life-handlers.ts';

type PauseRoutes = Pick<typeof PAGE_ROUTES, 'page.agent.pause'>;

/** A person pauses an agent or resumes it. Without a gateway that responds, its file says so, which the next one follows. */
export function pauseHandler(on: LifeParts): Handlers<PauseRoutes> {
  const { door, doing, reach } = on;
  return {
    'page.agent.pause': async ({ context, params, body }) => {
      const session = door.require(context, 'operate');
      const { action_id: actionId, paused, until_utc: until = null } = await body();
      const agent = await reach.find(params.name);
      const { name } = agent.row;
      const act = { action: paused ? 'pause' : 'resume', target: name, actionId, repeatable: true };
      return doing.receipt(session, { ...act, asked: { paused, until_utc: until } }, async () => {
        if (!paused) {
          await resume(on, agent, session);
          return {
            sentence: `${name} is resumed: what waited goes on as it becomes ready.`,
            command: commandLine`rouse resume ${name}`,
          };
        }
        const since = await pause(on, agent, { session, until });
        return {
          sentence: `${name} is paused ${pausedWords(since)}: its mail arrives and waits.`,
          command: commandLine`rouse pause ${name}${until === null ? [] : ['--until', until]}`,
        };
      });
    },
  };
}

async function pause(
  { reach, session: context }: LifeParts,
  agent: ReachedAgent,
  { session, until }: { session: Session; until: string | null },
): Promise<AgentPause> {
  const answers = await reach.gateway(agent);
  if (!answers && context && agent.facts) return pauseOffline(context, agent.facts, until);
  const gateway = await reach.requireGateway(agent, session);
  return (await gateway.call('pause.begin', { body: { until_utc: until } })).paused!;
}

async function resume(
  { reach, session: context }: LifeParts,
  agent: ReachedAgent,
  session: Session,
): Promise<void> {
  const answers = await reach.gateway(agent);
  if (!answers && context && agent.facts) return resumeOffline(agent.facts);
  await (await reach.requireGateway(agent, session)).call('pause.end', {});
}
