import { limitSentence } from '../../domain/index.ts';
import type { AccessName } from '../access-rules.ts';
import { noFields } from '../fields.ts';
import { REGISTRY_PLACES } from '../places.ts';
import { ourRoutes } from '../route.ts';
import {
  ackAnswer,
  ackBody,
  callAnswerBody,
  callAnswered,
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
  409: 'Several agents have this name.',
};

const change = <A extends AccessName>(summary: string, access: A) => ({
  tag: 'registry',
  summary,
  access,
  ...noFields,
  response: workspaceView,
  errors: unknownAgent,
});

export const REGISTRY_ROUTES = ourRoutes(REGISTRY_PLACES, {
  'registry.register': {
    tag: 'registry',
    summary: 'Register an agent, or take it over with a new session; its older tokens end',
    description: limitSentence('agentsPerOrg'),
    access: 'registrars',
    body: registerBody,
    response: registered,
    errors: {
      404: 'There is no such org.',
      409: 'The agent runs elsewhere and `take_over` is not set, or the org has its maximum number of agents.',
    },
  },
  'registry.heartbeat': {
    tag: 'registry',
    summary:
      'Report the state of the agent; the response has messages for it, and may be held until one comes',
    access: 'agents',
    body: heartbeatBody,
    response: heartbeatAnswer,
    errors: { 409: 'A newer session of the agent has registered.' },
  },
  'registry.deliveries.ack': {
    tag: 'registry',
    summary: 'Report that messages are in the gateway, or why not, and how earlier ones ended',
    access: 'agents',
    body: ackBody,
    response: ackAnswer,
    errors: { 409: 'A newer session of the agent has registered.' },
  },
  'registry.calls.answer': {
    tag: 'registry',
    summary: 'The result of a remote call that a heartbeat brought',
    access: 'agents',
    body: callAnswerBody,
    response: callAnswered,
  },
  'registry.agents.list': {
    tag: 'registry',
    summary: 'The agents of the org, with status, load and waiting messages',
    access: 'token',
    query: workspaceListQuery,
    response: workspaceList,
  },
  'registry.agents.get': {
    tag: 'registry',
    summary: 'One agent, by workspace id, agent id or name',
    access: 'org',
    response: workspaceView,
    errors: unknownAgent,
  },
  'registry.agents.pause': change('Stop delivering to an agent; a heartbeat does not undo it', 'org_people'),
  'registry.agents.resume': change('Deliver to a paused agent again', 'org_people'),
  'registry.agents.remove': change('Remove an agent from the fleet; its tokens end', 'org_admins'),
});
