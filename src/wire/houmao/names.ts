/** Names that Houmao gave, in files, addresses, headers and answers. */

/** Before every canonical name of an agent and every generated name of a tmux session. */
export const NAME_PREFIX = 'HOUMAO';

/** The domain of agents on this machine. */
export const LOCAL_DOMAIN = 'houmao.localhost';

export const OPERATOR_NAME = 'Houmao Operator';

/** As a fleet server names itself, and as one does that only looks. */
export const FLEET_SERVICE = 'houmao-server';
export const PASSIVE_FLEET_SERVICE = 'houmao-passive-server';

/** The directory in which servers keep what they know of their agents. */
export const SERVERS_DIRECTORY = 'houmao_servers';

export const ORIGIN_HEADER = 'x-houmao-origin';
export const REPLY_POLICY_HEADER = 'x-houmao-reply-policy';

/** The skills that come with Rouse, and the flag that writes them. */
export const PROCESS_SKILL = 'houmao-process-emails-via-gateway';
export const COMMS_SKILL = 'houmao-agent-email-comms';
export const SKILLS_FLAG = 'install-houmao-skills';
