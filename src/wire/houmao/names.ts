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

/** How an agent is run, by its name in manifests, session directories and responses. */
export const BACKEND = {
  /** In a terminal of Rouse. */
  terminal: 'local_interactive',
  /** As one process for each turn. */
  claudeTurns: 'claude_headless',
  codexTurns: 'codex_headless',
  geminiTurns: 'gemini_headless',
  kimiTurns: 'kimi_headless',
  turns: 'generic_headless',
  /** Recognised in manifests, but not run. */
  codexServer: 'codex_app_server',
  /** In a terminal that a CAO server owns. */
  cao: 'cao_rest',
  /** In a terminal that a fleet server owns. */
  server: 'houmao_server_rest',
} as const;
