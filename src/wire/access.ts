import { FLEET_ROUTES } from './fleet-routes.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';

/** Who calls a fleet server on loopback. Beyond loopback there is neither owner nor account: only tokens count. */
export const FLEET_CALLERS = [
  ['owner', 'the account that owns the server, or root; no token'],
  ['guest', 'an account let in by `--allow-users`; no token'],
  ['other account', 'any other account of the machine; no token'],
  ['bad', 'a token nobody was given'],
  ['revoked', 'a token that was revoked'],
  ['agent', 'the agent that the call is about'],
  ['other agent', 'another agent of its org'],
  ['user', 'a person of its org'],
  ['admin', 'an administrator of its org'],
  ["other org's agent", 'an agent of another org'],
  ["other org's user", 'a person of another org'],
  ["other org's admin", 'an administrator of another org'],
  ['server admin', 'an administrator of the whole server'],
] as const;

/** Who calls a gateway on loopback. */
export const GATEWAY_CALLERS = [
  ['owner', 'the account that owns the gateway, or root; no token'],
  ['guest', 'an account let in by `--allow-users`; no token'],
  ['other account', 'any other account of the machine; no token'],
  ['bad', 'a guest with a token nobody was given'],
  ['token', "a guest with the gateway's token"],
] as const;

/** `yes`, or the status of the refusal. */
export type Outcome = 'yes' | 400 | 401 | 403 | 404;

export interface AccessRule {
  meaning: string;
  /** One for each caller, in their order. */
  outcomes: readonly Outcome[];
  /** Ids of the routes it holds for. */
  routes: readonly string[];
}

function rule(meaning: string, outcomes: string, routes: string): AccessRule {
  return {
    meaning,
    outcomes: outcomes.split(' ').map((word) => (word === 'yes' ? 'yes' : (Number(word) as Outcome))),
    routes: routes.trim().split(/\s+/),
  };
}

export const GATEWAY_ACCESS: readonly AccessRule[] = [
  rule('Everybody who reaches the port', 'yes yes yes yes yes', 'health'),
  rule(
    'The owner, and whoever holds its token',
    'yes 401 403 401 yes',
    `status openapi events
     requests.create requests.list requests.get requests.cancel reconciliation.get reconciliation.decide
     control.prompt control.sendKeys tui.state tui.history tui.notePrompt headless.state headless.nextPromptSession
     reminders.create reminders.list reminders.get reminders.put reminders.delete
     mail.status mail.list mail.check mail.search mail.peek mail.read mail.send mail.post mail.reply mail.mark
     mail.move mail.archive
     notifier.status notifier.enable notifier.disable notifier.decisions`,
  ),
];

/** What a gateway serves, at the agent's place on the server. */
const CARRIED = GATEWAY_ACCESS.flatMap(({ routes }) => routes)
  .filter((id) => !['health', 'status', 'openapi'].includes(id))
  .map((id) => `agents.gateway.${id}`)
  .join(' ');

const STRANGERS = '401 403 401 401';

export const FLEET_ACCESS: readonly AccessRule[] = [
  rule(
    'Everybody who reaches the port; a token that is sent must be good',
    'yes yes yes 401 401 yes yes yes yes yes yes yes yes',
    'health',
  ),
  rule(
    'The owner and every good token',
    `yes ${STRANGERS} yes yes yes yes yes yes yes yes`,
    'ready openapi agents.server agents.list',
  ),
  rule(
    'The owner and administrators of the whole server',
    `yes ${STRANGERS} 403 403 403 403 403 403 403 yes`,
    'metrics',
  ),
  rule(
    'The owner, administrators of the whole server, and tokens with the grant `launch` or, for shutdown, `shutdown`',
    `yes ${STRANGERS} 403 403 403 403 403 403 403 yes`,
    `agents.launch agents.launch.headless agents.register agents.shutdown agents.stop agents.relaunch
     agents.gateway.attach agents.gateway.detach`,
  ),
  rule(
    'The owner; the agent itself; people of its org',
    `yes ${STRANGERS} yes 403 yes yes 403 404 404 yes`,
    `agents.get agents.state agents.state.detail agents.history agents.requests agents.interrupt
     agents.turns.create agents.turns.list agents.turns.get agents.turns.events agents.turns.artifact
     agents.internal.prompt agents.internal.state agents.gateway.status agents.mail.live ${CARRIED}`,
  ),
  rule(
    'Every good token, for what is its own or of its org',
    `401 ${STRANGERS} yes yes yes yes yes yes yes yes`,
    'registry.agents.list requests.create requests.outgoing requests.inbox requests.events mcp',
  ),
  rule(
    'Agents, each for itself',
    `401 ${STRANGERS} yes yes 403 403 yes 403 403 403`,
    'registry.heartbeat registry.deliveries.ack',
  ),
  rule(
    'People, for a new agent of their org; an agent registers only itself anew',
    `401 ${STRANGERS} 403 403 yes yes 403 yes yes yes`,
    'registry.register',
  ),
  rule(
    "Everybody of the agent's org",
    `401 ${STRANGERS} yes yes yes yes 404 404 404 yes`,
    'registry.agents.get a2a.enqueue a2a.card a2a.rpc',
  ),
  rule(
    "People of the agent's org",
    `401 ${STRANGERS} 403 403 yes yes 403 404 404 yes`,
    'registry.agents.pause registry.agents.resume',
  ),
  rule(
    "Administrators of the agent's org",
    `401 ${STRANGERS} 403 403 403 yes 403 403 404 yes`,
    'registry.agents.remove',
  ),
  rule('People, for their org', `401 ${STRANGERS} 403 403 yes yes 403 yes yes yes`, 'requests.pending'),
  rule(
    'The two of a request and administrators of the org; here the other agent asked the agent',
    `401 ${STRANGERS} yes yes 403 yes 404 404 404 yes`,
    'requests.get requests.message',
  ),
  rule(
    'The one who was asked, and administrators; nobody answers what they asked themselves',
    `401 ${STRANGERS} yes 400 403 yes 404 404 404 yes`,
    'requests.respond',
  ),
  rule(
    'The one who asked, and administrators',
    `401 ${STRANGERS} 403 yes 403 yes 404 404 404 yes`,
    'requests.cancel',
  ),
  rule(
    'The agent itself, and administrators of its org, who stay who they are',
    `401 ${STRANGERS} yes 403 403 yes 404 404 404 yes`,
    `workspace_requests.create workspace_requests.outgoing workspace_requests.inbox workspace_requests.get
     workspace_requests.respond workspace_requests.message workspace_requests.cancel`,
  ),
  rule(
    'The sender of a message, its target and administrators; here the user sent it to the agent',
    `401 ${STRANGERS} yes 403 yes yes 404 404 404 yes`,
    'a2a.queue.get',
  ),
  rule(
    'Administrators, for their org',
    `401 ${STRANGERS} 403 403 403 yes 403 403 yes yes`,
    'admin.orgs.list admin.tokens.create admin.tokens.list admin.a2a-queue.list admin.a2a-queue.drop-stale',
  ),
  rule(
    'Administrators, for a token or message of their org',
    `401 ${STRANGERS} 403 403 403 yes 403 403 404 yes`,
    'admin.tokens.revoke admin.a2a-queue.replay',
  ),
  rule(
    'Administrators of the whole server',
    `401 ${STRANGERS} 403 403 403 403 403 403 403 yes`,
    'admin.orgs.create admin.sweepers.list admin.sweepers.run',
  ),
];

type Place = Pick<Route, 'id' | 'method' | 'path'>;

/** Served beside the routes of the contract. */
const OPENAPI: Place = { id: 'openapi', method: 'GET', path: '/openapi.json' };
const MCP: Place = { id: 'mcp', method: 'POST', path: '/mcp' };

export const GATEWAY_PLACES: readonly Place[] = [...ROUTES, OPENAPI];
export const FLEET_PLACES: readonly Place[] = [...FLEET_ROUTES, OPENAPI, MCP];

/** docs/access.md. */
export function accessMarkdown(): string {
  return [
    '# Who may call what',
    '',
    'Generated from `src/wire/access.ts` by `node scripts/generate.mjs`. `test/fleet/access-matrix.test.ts` calls every route as',
    'every caller and compares; a route without a row fails it.',
    '',
    'Both servers, on loopback. ✓: the call is admitted, and answered by what it asks for. A number: the status of the refusal.',
    'Beyond loopback there is no owner without a token: a gateway answers only to its token, also `/health`; a fleet server',
    'leaves `/health`, `/ready` and `/openapi.json` open and wants a token for everything else. Where the kernel cannot be',
    'asked who connects, the owner shows a token that only that account can read, and every other account is a guest.',
    '',
    ...section('Gateway', GATEWAY_CALLERS, GATEWAY_ACCESS, GATEWAY_PLACES),
    ...section('Fleet server', FLEET_CALLERS, FLEET_ACCESS, FLEET_PLACES),
  ].join('\n');
}

function section(
  title: string,
  callers: readonly (readonly [string, string])[],
  rules: readonly AccessRule[],
  places: readonly Place[],
): string[] {
  const names = callers.map(([name]) => name);
  const cells = (values: readonly string[]): string => `| ${values.join(' | ')} |`;
  const placeOf = (id: string): string => {
    const found = places.find((place) => place.id === id);
    return found ? `\`${found.method} ${found.path}\`` : id;
  };
  return [
    `## ${title}`,
    '',
    ...callers.map(([name, meaning]) => `- **${name}**: ${meaning}`),
    '',
    ...rules.flatMap(({ meaning, outcomes, routes }) => [
      `### ${meaning}`,
      '',
      cells(names),
      cells(names.map(() => '---')),
      cells(outcomes.map((outcome) => (outcome === 'yes' ? '✓' : String(outcome)))),
      '',
      ...routes.map((id) => `- ${placeOf(id)}`),
      '',
    ]),
  ];
}
