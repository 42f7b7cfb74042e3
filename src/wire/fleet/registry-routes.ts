import { type Route, route } from '../route.ts';
import {
  ackAnswer,
  ackBody,
  heartbeatAnswer,
  heartbeatBody,
  registerBody,
  registered,
  workspaceList,
  workspaceListQuery,
  workspaceView,
} from './registry.ts';

const unknownAgent = {
  404: 'There is no such agent, or not for this token.',
  409: 'The name is that of several.',
};

const action = (verb: string, summary: string): Route =>
  route({
    id: `registry.agents.${verb}`,
    method: 'POST',
    path: `/registry/agents/{agent_ref}/${verb}`,
    tag: 'registry',
    summary,
    response: workspaceView,
    errors: unknownAgent,
  });

export const REGISTRY_ROUTES: readonly Route[] = [
  route({
    id: 'registry.register',
    method: 'POST',
    path: '/registry/register',
    tag: 'registry',
    summary: 'Make an agent known, or take it over with a new session; older tokens of it end',
    body: registerBody,
    response: registered,
  }),
  route({
    id: 'registry.heartbeat',
    method: 'POST',
    path: '/registry/heartbeat',
    tag: 'registry',
    summary: 'Say how the agent is; the answer carries messages for it, and may be held until one comes',
    body: heartbeatBody,
    response: heartbeatAnswer,
    errors: { 409: 'A newer session of the agent has registered.' },
  }),
  route({
    id: 'registry.deliveries.ack',
    method: 'POST',
    path: '/registry/deliveries/ack',
    tag: 'registry',
    summary: 'Say that messages are in the gateway, or why not, and how earlier ones ended',
    body: ackBody,
    response: ackAnswer,
    errors: { 409: 'A newer session of the agent has registered.' },
  }),
  route({
    id: 'registry.agents.list',
    method: 'GET',
    path: '/registry/agents',
    tag: 'registry',
    summary: 'The agents of the org, with status, load and what waits for them',
    query: workspaceListQuery,
    response: workspaceList,
  }),
  route({
    id: 'registry.agents.get',
    method: 'GET',
    path: '/registry/agents/{agent_ref}',
    tag: 'registry',
    summary: 'One agent, by workspace id, agent id or name',
    response: workspaceView,
    errors: unknownAgent,
  }),
  action('pause', 'Stop delivering to an agent; a heartbeat does not undo it'),
  action('resume', 'Deliver to it again'),
  action('remove', 'Take an agent out of the fleet; its tokens end'),
];
