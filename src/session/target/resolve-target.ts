import { conflict, invalid, nearest, notFound, unavailable, unsupported } from '../../base/index.ts';
import { isHeadless } from '../../domain/index.ts';
import type { RegistryRecord } from '../../wire/index.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { byName, type RegistryView } from '../records/registry-read.ts';
import {
  manifestOfRecord,
  manifestOfSession,
  type PointerWorld,
  type SessionPointers,
} from '../records/session-pointers.ts';
import type { Selector } from './selector.ts';

/** Where a fleet server is expected when nobody says otherwise. */
export const DEFAULT_FLEET_PORT = 9889;

/** A session of this host, or one that a fleet server owns. */
export type Target = LocalTarget | FleetTarget;

export interface LocalTarget {
  kind: 'local';
  facts: ManifestFacts;
}

export interface FleetTarget {
  kind: 'fleet';
  baseUrl: string;
  agentRef: string;
  /** The manifest that led there; undefined when the server was named on the command line. */
  facts: ManifestFacts | undefined;
  /** What the server wants to see, where it listens beyond this host. */
  token?: string | undefined;
}

/** What resolution asks of the world; tests answer from tables. */
export interface TargetWorld extends PointerWorld {
  /** Undefined when there is no such session. */
  pointersOf(session: string): Promise<SessionPointers | undefined>;
  /** The tmux session this process is in. */
  currentPointers(): Promise<SessionPointers | undefined>;
  /** Whether a fleet server answers there and knows the agent. */
  fleetKnows(baseUrl: string, agentRef: string): Promise<boolean>;
  defaultFleetPort: number;
}

export async function resolveTarget(selector: Selector, world: TargetWorld): Promise<Target> {
  switch (selector.by) {
    case 'agent_id':
    case 'agent_name':
      return resolveAgent(selector, world);
    case 'tmux_session': {
      const pointers = await world.pointersOf(selector.name);
      if (!pointers) {
        throw notFound(`there is no tmux session "${selector.name}" here`, {
          hint: 'see "rouse agents list"; with a private tmux socket set ROUSE_TMUX_SOCKET',
        });
      }
      return targetOf(await manifestOfSession(pointers, 'terminal_name', world));
    }
    case 'current_session': {
      const pointers = await world.currentPointers();
      if (!pointers) throw unavailable('the tmux session this command runs in cannot be asked');
      return targetOf(await manifestOfSession(pointers, 'agent_id', world));
    }
  }
}

type AgentSelector = Extract<Selector, { by: 'agent_id' | 'agent_name' }>;

async function resolveAgent(selector: AgentSelector, world: TargetWorld): Promise<Target> {
  const ref = selector.by === 'agent_id' ? selector.id : selector.name;
  if (selector.pairPort !== undefined) {
    return {
      kind: 'fleet',
      baseUrl: `http://127.0.0.1:${selector.pairPort}`,
      agentRef: ref,
      facts: undefined,
    };
  }
  const view = world.registry();
  const record = oneOf(selector, view);
  if (record) return targetOf(manifestOfRecord(record));
  const baseUrl = `http://127.0.0.1:${world.defaultFleetPort}`;
  if (await world.fleetKnows(baseUrl, ref))
    return { kind: 'fleet', baseUrl, agentRef: ref, facts: undefined };
  throw nobody(selector, view);
}

function oneOf(selector: AgentSelector, view: RegistryView): RegistryRecord | undefined {
  if (selector.by === 'agent_id') return view.fresh.find((record) => record.agent_id === selector.id);
  const matches = byName(view.fresh, selector.name);
  if (matches.length > 1) {
    throw conflict(`${matches.length} agents are named "${selector.name}"`, {
      hint: `say which with --agent-id: ${matches.map((record) => record.agent_id).join(', ')}`,
      facts: { cause: 'ambiguous', agent_ids: matches.map((record) => record.agent_id) },
    });
  }
  return matches[0];
}

function nobody(selector: AgentSelector, view: RegistryView): Error {
  const what = selector.by === 'agent_id' ? `id "${selector.id}"` : `name "${selector.name}"`;
  const expired =
    selector.by === 'agent_id'
      ? view.expired.some((record) => record.agent_id === selector.id)
      : byName(view.expired, selector.name).length > 0;
  if (expired) {
    return notFound(`the registry record of the agent with ${what} has expired`, {
      hint: 'its session is gone; "rouse why" shows what it did, "rouse launch TOOL NAME" starts a new one',
      facts: { cause: 'lease_expired' },
    });
  }
  const known = view.fresh.map((record) =>
    selector.by === 'agent_id' ? record.agent_id : record.agent_name,
  );
  const wanted = selector.by === 'agent_id' ? selector.id : selector.name;
  const [close] = nearest(wanted, known);
  return notFound(`there is no agent with ${what} on this host`, {
    hint: close
      ? `did you mean "${close}"? "rouse ls" shows all`
      : '"rouse ls" shows the agents there are; for one of a fleet server give --pair-port',
  });
}

/** Whose business the session is follows from its manifest, and from nothing else. */
export function targetOf(facts: ManifestFacts): Target {
  // A CAO server owns the terminal, and nothing else: gateway, queue and mail are of this host.
  if (facts.backend === 'cao_rest') return { kind: 'local', facts };
  if (facts.backend === 'codex_app_server') {
    throw unsupported(
      `agent ${facts.agentName} runs without tmux (${facts.backend}), so it can have no gateway`,
      {
        facts: { cause: 'unsupported_backend', backend: facts.backend },
      },
    );
  }
  const { serverBaseUrl, serverAgentRef } = facts;
  const served = isHeadless(facts.backend) && serverBaseUrl !== undefined && serverAgentRef !== undefined;
  if (facts.backend !== 'houmao_server_rest' && !served) return { kind: 'local', facts };
  if (serverBaseUrl === undefined || serverAgentRef === undefined) {
    throw invalid(`${facts.path} names no fleet server for this agent, and none is guessed`, {
      hint: 'gateway_authority.attach needs api_base_url and managed_agent_ref',
      facts: { cause: 'no_attach_authority' },
    });
  }
  return { kind: 'fleet', baseUrl: serverUrl(serverBaseUrl, facts.path), agentRef: serverAgentRef, facts };
}

/** The server written in a manifest is asked as it stands there, and only if it is an HTTP address. */
function serverUrl(text: string, file: string): string {
  try {
    const url = new URL(text);
    if (url.protocol === 'http:' && url.pathname === '/' && url.search === '') return url.origin;
  } catch {
    // said below
  }
  throw invalid(
    `${file}: gateway_authority.attach.api_base_url must look like http://host:port, not ${JSON.stringify(text)}`,
  );
}

export function requireLocal(target: Target, action: string): ManifestFacts {
  if (target.kind === 'local') return target.facts;
  throw unsupported(
    `${action} works on agents of this host; this one belongs to the server at ${target.baseUrl}`,
  );
}
