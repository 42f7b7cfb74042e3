import { unsupported } from '../../base/index.ts';
import { byName, readRegistry } from '../records/registry-read.ts';
import { manifestOfRecord } from '../records/session-pointers.ts';
import type { SessionContext } from '../session-context.ts';
import { askFleet, fleetService, requireFleetAgent } from '../target/fleet-server.ts';
import type { FleetTarget, Target } from '../target/resolve-target.ts';
import { type AttachReport, attachLocal } from './attach.ts';
import type { AttachOptions } from './attach-plan.ts';
import { type DetachReport, detachLocal } from './detach.ts';

/** Attaches a gateway to an agent, whoever owns it: here, or through the fleet server that does. */
export async function attach(
  context: SessionContext,
  target: Target,
  options: AttachOptions,
): Promise<AttachReport> {
  if (target.kind === 'local') return attachLocal(context, target.facts.path, options);
  const own = await localInstead(context, target, 'attach');
  if (own) return attachLocal(context, own, options);
  if (options.host !== undefined || options.port !== undefined || options.allowUsers) {
    throw unsupported('the address of a gateway behind a fleet server is chosen by that server', {
      hint: 'leave out --gateway-host, --gateway-port and --allow-users',
    });
  }
  await requireFleetAgent(target);
  const agent = { agent_ref: target.agentRef };
  const before = await askFleet(target, 'agents.gateway.status', agent);
  const alreadyAttached = before.gateway_health === 'healthy';
  const alreadyNotes = alreadyAttached ? ['a gateway was attached already'] : [];
  if (alreadyAttached && options.mode === undefined && options.timings === undefined)
    return { status: before, alreadyAttached, restarted: [], notes: alreadyNotes };
  const body = {
    ...(options.mode && { execution_mode: options.mode }),
    ...(options.timings && { tui_tracking_timings: options.timings }),
  };
  const answer = await askFleet(target, 'agents.gateway.attach', { ...agent, body });
  const { restarted = [], ...status } = answer;
  const notes = restarted.length > 0 ? [] : alreadyNotes;
  return { status, alreadyAttached, restarted, notes };
}

export async function detach(context: SessionContext, target: Target): Promise<DetachReport> {
  if (target.kind === 'local') return detachLocal(context, target.facts.path);
  const own = await localInstead(context, target, 'detach');
  if (own) return detachLocal(context, own);
  await requireFleetAgent(target);
  const status = await askFleet(target, 'agents.gateway.detach', { agent_ref: target.agentRef });
  return { status, ended: 'already', detail: `detached by the server at ${target.baseUrl}` };
}

/** A passive server only watches. Then this host must own the session, and acts on its own authority. */
async function localInstead(
  context: SessionContext,
  target: FleetTarget,
  action: 'attach' | 'detach',
): Promise<string | undefined> {
  const { baseUrl, agentRef } = target;
  if ((await fleetService(target)) === 'houmao-server') return undefined;
  const { fresh } = readRegistry(context.settings.registryDir, context.clock.now().getTime());
  const matches = fresh.filter((record) => record.agent_id === agentRef);
  const [record] = matches.length > 0 ? matches : byName(fresh, agentRef);
  if (record && record.identity.backend !== 'houmao_server_rest') return manifestOfRecord(record).path;
  throw unsupported(
    `the server at ${baseUrl} only watches and cannot ${action}, and this host does not own the session`,
    {
      facts: { cause: 'passive_server', base_url: baseUrl },
    },
  );
}
