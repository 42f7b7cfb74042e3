/** Who calls a fleet server on loopback. Beyond loopback there is neither owner nor account: only tokens count. */
export const FLEET_CALLERS = [
  ['owner', 'the account that owns the server, or root; no token'],
  ['guest', 'an account let in by `--allow-users`; no token'],
  ['other account', 'any other account of the machine; no token'],
  ['bad', 'a token that does not exist'],
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
  ['bad', 'a guest with a token that does not exist'],
  ['token', "a guest with the gateway's token"],
  ['agent', "a guest with the agent's own token, which is in `mcp/token` of its session"],
] as const;

/** `yes`, or the status of the refusal. */
export type Outcome = 'yes' | 400 | 401 | 403 | 404;

export interface AccessRule {
  meaning: string;
  /** One for each caller, in their order. */
  outcomes: readonly Outcome[];
}

function rule(meaning: string, outcomes: string): AccessRule {
  return {
    meaning,
    outcomes: outcomes.split(' ').map((word) => (word === 'yes' ? 'yes' : (Number(word) as Outcome))),
  };
}

export const GATEWAY_ACCESS = {
  everybody: rule('Everyone who reaches the port', 'yes yes yes yes yes yes'),
  owner: rule('The owner, and anyone who holds its token', 'yes 401 403 401 yes 401'),
  agent: rule("Callers with the agent's own token only", '401 401 403 401 401 yes'),
} satisfies Record<string, AccessRule>;

const STRANGERS = '401 403 401 401';

export const FLEET_ACCESS = {
  everybody: rule(
    'Everyone who reaches the port; a token, if sent, must be valid',
    'yes yes yes 401 401 yes yes yes yes yes yes yes yes',
  ),
  owner_or_token: rule('The owner and every valid token', `yes ${STRANGERS} yes yes yes yes yes yes yes yes`),
  owner_or_server_admin: rule(
    'The owner and administrators of the whole server',
    `yes ${STRANGERS} 403 403 403 403 403 403 403 yes`,
  ),
  granted: rule(
    'The owner, administrators of the whole server, and tokens with the grant `launch` or, for shutdown, `shutdown`',
    `yes ${STRANGERS} 403 403 403 403 403 403 403 yes`,
  ),
  agent_and_its_people: rule(
    'The owner; the agent itself; people of its org',
    `yes ${STRANGERS} yes 403 yes yes 403 404 404 yes`,
  ),
  people_of_it: rule(
    'The owner, and people of its org: an agent could answer its own permission dialogs, or end its own pause',
    `yes ${STRANGERS} 403 403 yes yes 403 404 404 yes`,
  ),
  token: rule(
    'Every valid token, for what belongs to its holder or org',
    `401 ${STRANGERS} yes yes yes yes yes yes yes yes`,
  ),
  agents: rule('Agents, each for itself', `401 ${STRANGERS} yes yes 403 403 yes 403 403 403`),
  registrars: rule(
    'People, for a new agent of their org; an agent may only register itself again',
    `401 ${STRANGERS} 403 403 yes yes 403 yes yes yes`,
  ),
  org: rule("Everyone in the agent's org", `401 ${STRANGERS} yes yes yes yes 404 404 404 yes`),
  org_people: rule("People of the agent's org", `401 ${STRANGERS} 403 403 yes yes 403 404 404 yes`),
  org_admins: rule("Administrators of the agent's org", `401 ${STRANGERS} 403 403 403 yes 403 403 404 yes`),
  people: rule('People, for their org', `401 ${STRANGERS} 403 403 yes yes 403 yes yes yes`),
  both_parties: rule(
    'Requester and recipient, and administrators of the org; here the other agent asked the agent',
    `401 ${STRANGERS} yes yes 403 yes 404 404 404 yes`,
  ),
  recipient: rule(
    'The recipient, and administrators; no one answers their own request',
    `401 ${STRANGERS} yes 400 403 yes 404 404 404 yes`,
  ),
  requester: rule('The requester, and administrators', `401 ${STRANGERS} 403 yes 403 yes 404 404 404 yes`),
  workspace: rule(
    'The agent itself, and administrators of its org under their own name',
    `401 ${STRANGERS} yes 403 403 yes 404 404 404 yes`,
  ),
  message_parties: rule(
    'The sender of a message, its target and administrators; here the user sent it to the agent',
    `401 ${STRANGERS} yes 403 yes yes 404 404 404 yes`,
  ),
  admins: rule('Administrators, for their org', `401 ${STRANGERS} 403 403 403 yes 403 403 yes yes`),
  admins_of_it: rule(
    'Administrators, for a token or message of their org',
    `401 ${STRANGERS} 403 403 403 yes 403 403 404 yes`,
  ),
  server_admins: rule(
    'Administrators of the whole server',
    `401 ${STRANGERS} 403 403 403 403 403 403 403 yes`,
  ),
  page_shell: rule(
    'Everyone but other accounts of the machine: the page itself, which shows nothing without a session',
    'yes yes 403 401 401 yes yes yes yes yes yes yes yes',
  ),
  page_session: rule(
    'Callers with a session of the page, or a code that begins one; a token is not enough',
    `401 ${STRANGERS} 401 401 401 401 401 401 401 401`,
  ),
} satisfies Record<string, AccessRule>;

export type AccessName = keyof typeof GATEWAY_ACCESS | keyof typeof FLEET_ACCESS;
