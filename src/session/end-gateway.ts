import { conflict } from '../base/index.ts';
import { claimsAgentWindow, type RecordedGateway } from './live-gateway.ts';
import type { ManifestFacts } from './manifest-facts.ts';
import { type EndedBy, type EndOptions, endProcess } from './process-end.ts';
import type { SessionContext } from './session-context.ts';
import { sessionPaths } from './session-paths.ts';

/** Ends the recorded gateway, and only it. One that claims the agent's own window is never acted upon. */
export async function endGateway(
  context: SessionContext,
  facts: ManifestFacts,
  gateway: RecordedGateway,
  how?: EndOptions,
): Promise<EndedBy> {
  if (claimsAgentWindow(gateway)) {
    throw conflict(
      `the recorded gateway claims window 0 of "${facts.tmuxSessionName}", which belongs to the agent`,
      {
        hint: `nothing was stopped; look at ${sessionPaths(facts.root).currentInstance}`,
        facts: { cause: 'reserved_window' },
      },
    );
  }
  context.progress?.('waiting for the gateway to end');
  const ended = await endProcess(gateway.identity, context.clock, how);
  if (ended !== 'nothing') return ended;
  throw conflict(
    `process ${gateway.identity.pid} cannot be proven to be this session's gateway, or does not end`,
    {
      hint: 'nothing was changed; end it by hand',
      facts: { cause: 'gateway_not_stopped', pid: gateway.identity.pid },
    },
  );
}
