import { type AccessRule, FLEET_ACCESS, GATEWAY_ACCESS, type Outcome } from '../../src/wire/access-rules.ts';
import { FLEET_ROUTES } from '../../src/wire/fleet-routes.ts';
import { fillPath } from '../../src/wire/place.ts';
import type { Route } from '../../src/wire/route.ts';
import { GATEWAY_ROUTES } from '../../src/wire/routes.ts';
import { fleetBodies, gatewayBodies, type Named } from '../support/good-bodies.ts';
import type { Call } from './call.ts';

/** What a thief would send, so that only the access check can refuse it. All of its values are marked. */
export const MARK = 'STOLEN';

export interface Target extends Call {
  id: string;
  server: 'gateway' | 'fleet';
  route: Route;
  /** For each caller, in the order of the access table. */
  outcomes: readonly Outcome[];
  changes: boolean;
  /** Whether the contract has a body; without one the sent body is not read. */
  takesBody: boolean;
}

type Rules = Readonly<Record<string, AccessRule>>;

function target(route: Route, server: Target['server'], port: number, to: Named, body: unknown): Target {
  const named: Record<string, string> = {
    agent_ref: route.path.startsWith('/registry') ? to.workspace : to.agent,
    workspace_id: to.workspace,
    request_id: to.request,
    queue_id: to.queued,
    token_id: to.token,
    name: 'delivery-upkeep',
  };
  const method = route.method === 'ALL' ? 'POST' : route.method;
  const rules: Rules = server === 'gateway' ? GATEWAY_ACCESS : FLEET_ACCESS;
  return {
    id: route.id,
    server,
    route,
    outcomes: rules[route.access]!.outcomes,
    port,
    method,
    path: fillPath(route.path, (name) => named[name] ?? 'x'),
    changes: method !== 'GET',
    takesBody: route.body !== undefined || route.id === 'mcp',
    ...(/POST|PUT/.test(method) && { body: body ?? {} }),
  };
}

/** Every route of both servers from `wire/`, so that a new one is attacked too. */
export function targets(ports: { gateway: number; fleet: number }, to: Named): Target[] {
  const stolen = { tool: '/usr/bin/env', args: ['sh', '-c', `id > ${to.directory}/${MARK}`] };
  const [own, fleet] = [gatewayBodies(to, MARK), fleetBodies(to, MARK, stolen)];
  return [
    ...Object.values<Route>(GATEWAY_ROUTES).map((each) =>
      target(each, 'gateway', ports.gateway, to, own[each.id]),
    ),
    ...Object.values<Route>(FLEET_ROUTES).map((each) =>
      target(each, 'fleet', ports.fleet, to, fleet[each.id]),
    ),
  ];
}
