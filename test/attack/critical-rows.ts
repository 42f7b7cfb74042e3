import {
  type AccessRule,
  FLEET_ACCESS,
  FLEET_CALLERS,
  GATEWAY_ACCESS,
  GATEWAY_CALLERS,
} from '../../src/wire/access-rules.ts';
import { FLEET_ROUTES } from '../../src/wire/fleet-routes.ts';
import type { Route } from '../../src/wire/route.ts';
import { GATEWAY_ROUTES } from '../../src/wire/routes.ts';

const OF_THE_SERVER = ['owner', 'server admin'];
const PEOPLE = ['owner', 'user', 'admin', 'server admin'];
const DRIVERS = [...PEOPLE, 'agent'];
const ADMINS = ['admin', "other org's admin", 'server admin'];
const AGENTS = ['agent', 'other agent', "other org's agent"];

/** The callers of the most dangerous rows, written by hand, so that a wrong access table differs. */
const FLEET: Partial<Record<keyof typeof FLEET_ROUTES | `agents.gateway.${string}`, readonly string[]>> = {
  'agents.launch': OF_THE_SERVER,
  'agents.launch.headless': OF_THE_SERVER,
  'agents.register': OF_THE_SERVER,
  'agents.relaunch': OF_THE_SERVER,
  'agents.stop': OF_THE_SERVER,
  'agents.shutdown': OF_THE_SERVER,
  'agents.gateway.attach': OF_THE_SERVER,
  'agents.gateway.detach': OF_THE_SERVER,
  'agents.gateway.control.sendKeys': PEOPLE,
  'agents.gateway.pause.begin': PEOPLE,
  'agents.gateway.pause.end': PEOPLE,
  'agents.gateway.control.prompt': DRIVERS,
  'agents.gateway.requests.create': DRIVERS,
  'agents.gateway.reminders.create': DRIVERS,
  'agents.gateway.mail.read': DRIVERS,
  'agents.gateway.mail.send': DRIVERS,
  'agents.requests': DRIVERS,
  'agents.turns.create': DRIVERS,
  'mailbox.bind': AGENTS,
  'mailbox.unbind': AGENTS,
  'admin.tokens.create': ADMINS,
  'admin.tokens.list': ADMINS,
  'admin.tokens.revoke': ['admin', 'server admin'],
  'admin.mailboxes.handOver': ['admin', 'server admin'],
  'admin.orgs.create': ['server admin'],
  'admin.backup': ['server admin'],
  'page.codes.create': OF_THE_SERVER,
  'page.agent.prompt': [],
  'page.agent.dialog': [],
  'page.mail.message': [],
};

const OF_THE_GATEWAY = ['owner', 'token'];
const GATEWAY: Partial<Record<keyof typeof GATEWAY_ROUTES, readonly string[]>> = {
  'requests.create': OF_THE_GATEWAY,
  'control.prompt': OF_THE_GATEWAY,
  'control.sendKeys': OF_THE_GATEWAY,
  'reminders.create': OF_THE_GATEWAY,
  'pause.begin': OF_THE_GATEWAY,
  'pause.end': OF_THE_GATEWAY,
  'mail.read': OF_THE_GATEWAY,
  'mail.send': OF_THE_GATEWAY,
  'notifier.enable': OF_THE_GATEWAY,
  mcp: ['agent'],
};

type Callers = readonly (readonly [string, string])[];

function differencesOf(
  hand: Readonly<Record<string, readonly string[] | undefined>>,
  routes: Readonly<Record<string, Route>>,
  rules: Readonly<Record<string, AccessRule>>,
  callers: Callers,
): string[] {
  return Object.entries(hand).flatMap(([id, may = []]) => {
    const route = routes[id];
    if (!route) return [`${id} is not a route any more`];
    const { outcomes } = rules[route.access]!;
    return callers.flatMap(([caller], n) =>
      (outcomes[n] === 'yes') === may.includes(caller) ? [] : [`${id} by ${caller}: ${outcomes[n]}`],
    );
  });
}

/** Cells of the table of access that differ from the lists above. */
export const tableErrors = (): string[] => [
  ...differencesOf(FLEET, FLEET_ROUTES, FLEET_ACCESS, FLEET_CALLERS),
  ...differencesOf(GATEWAY, GATEWAY_ROUTES, GATEWAY_ACCESS, GATEWAY_CALLERS),
];
