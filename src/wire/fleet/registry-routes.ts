import { limitSentence } from '../../domain/index.ts';
import type { AccessName } from '../access-rules.ts';
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
  409: 'The name is that of several.',
};

const change = <A extends AccessName>(summary: string, access: A) => ({
  tag: 'registry',
  summary,
  access,
  response: workspaceView,
  errors: unknownAgent,
});

export const REGISTRY_ROUTES = ourRoutes(REGISTRY_PLACES, {
  'registry.register': {
    tag: 'registry',
    summary: 'Make an agent known, or take it over with a new session; older tokens of it end',
    description: limitSentence('agentsPerOrg'),
    access: 'registrars',
    body: registerBody,
    response: registered,
    errors: {
      404: 'There is no such org.',
      409: 'The agent runs elsewhere, and `take_over` was not asked for; or the org has as many agents as it may have.',
    },
  },
  'registry.heartbeat': {
    tag: 'registry',
    summary: 'Say how the agent is; the answer carries messages for it, and may be held until one comes',
    access: 'agents',
    body: heartbeatBody,
    response: heartbeatAnswer,
    errors: { 409: 'A newer session of the agent has registered.' },
  },
  'registry.deliveries.ack': {
    tag: 'registry',
    summary: 'Say that messages are in the gateway, or why not, and how earlier ones ended',
    access: 'agents',
    body: ackBody,
    response: ackAnswer,
    errors: { 409: 'A newer session of the agent has registered.' },
  },
  'registry.calls.answer': {
    tag: 'registry',
    summary: 'What came of a remote call that a heartbeat brought',
    access: 'agents',
    body: callAnswerBody,
    response: callAnswered,
  },
  'registry.agents.list': {
    tag: 'registry',
    summary: 'The agents of the org, with status, load and what waits for them',
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
  'registry.agents.resume': change('Deliver to it again', 'org_people'),
  'registry.agents.remove': change('Take an agent out of the fleet; its tokens end', 'org_admins'),
});
