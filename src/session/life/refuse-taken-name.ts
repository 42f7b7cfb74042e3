import { commandLine, conflict } from '../../base/index.ts';
import { bareAgentName } from '../../domain/index.ts';
import type { RegistryRecord } from '../../wire/index.ts';
import { readRegistry } from '../records/registry-read.ts';
import type { SessionContext } from '../session-context.ts';
import { LiveSessions, recordedOf } from '../target/live-sessions.ts';
import { publishForgotten } from '../target/publish-forgotten.ts';

/**
 * A name or id that another session has is an error, never renamed. A record whose lease ran out still counts
 * while its tmux session lives, and so does a session whose launch was killed before it was published: two agents
 * would answer to one name.
 */
export async function refuseTakenName(
  context: SessionContext,
  wanted: { agentName: string; agentId: string },
): Promise<void> {
  const sessions = new LiveSessions(context.env);
  await publishForgotten(context, sessions);
  const view = readRegistry(context.settings.registryDir, context.clock.now().getTime());
  const same = (record: RegistryRecord): boolean =>
    record.agent_id === wanted.agentId ||
    bareAgentName(record.agent_name) === bareAgentName(wanted.agentName);
  for (const record of [...view.fresh, ...view.expired].filter(same)) {
    const name = await sessions.nameOf(recordedOf(record));
    const lives = name !== undefined;
    if (!lives && !view.fresh.includes(record)) continue;
    throw conflict(
      record.agent_id === wanted.agentId
        ? `agent id ${wanted.agentId} is in use by "${record.agent_name}"`
        : `agent name "${wanted.agentName}" is in use`,
      {
        hint: lives
          ? `it runs in tmux session "${name}"; stop it with "${commandLine`rouse agents stop --agent-id ${record.agent_id}`}", or choose another name`
          : `its session is gone: "${commandLine`rouse agents relaunch --agent-id ${record.agent_id} --resume`}" brings it back, "${commandLine`rouse agents stop --agent-id ${record.agent_id}`}" forgets it`,
        facts: {
          cause: 'agent_in_use',
          agent_id: record.agent_id,
          tmux_session: record.terminal.session_name,
        },
      },
    );
  }
}
