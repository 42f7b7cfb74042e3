/** Names from Houmao in files, addresses, headers and responses. */

/** Before every canonical name of an agent and every generated name of a tmux session. */
export const NAME_PREFIX = 'HOUMAO';

/** The domain of agents on this machine. */
export const LOCAL_DOMAIN = 'houmao.localhost';

export const OPERATOR_NAME = 'Houmao Operator';

/** The service name of a fleet server, and that of a read-only one. */
export const FLEET_SERVICE = 'houmao-server';
export const PASSIVE_FLEET_SERVICE = 'houmao-passive-server';

/** The directory in which servers keep their state of agents. */
export const SERVERS_DIRECTORY = 'houmao_servers';

export const ORIGIN_HEADER = 'x-houmao-origin';
export const REPLY_POLICY_HEADER = 'x-houmao-reply-policy';

/** The skills of Rouse, and the flag that installs them. */
export const PROCESS_SKILL = 'houmao-process-emails-via-gateway';
export const COMMS_SKILL = 'houmao-agent-email-comms';
export const SKILLS_FLAG = 'install-houmao-skills';
