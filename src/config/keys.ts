import { type SettingKind, wakeSettings } from '../domain/index.ts';
import type { NamedThing } from '../domain/schemas.ts';
import { LOCAL_DOMAIN, VARIABLE } from '../wire/houmao/index.ts';
import {
  AGENT_NAME,
  HOURS,
  type Kind,
  NAME,
  oneOf,
  PATH,
  ROLE,
  TEXT,
  TIME_ZONE,
  TOOL,
  WEB_ADDRESS,
  WORDS,
  wholeNumber,
  YES_OR_NO,
} from './kinds.ts';

/** One key of the files. docs/configuration.md is generated from this table. */
export interface ConfigKey {
  /** `*` is a name that the person chooses. */
  key: string;
  kind: Kind;
  meaning: string;
  /** Only in the person's own file: a project could use it to spend, leak or allow something. */
  own?: true;
  /** What its value names outside of Rouse, unless its kind says so. */
  names?: NamedThing;
  /** What a name in place of `*` must be; `NAME` otherwise. */
  name?: Kind;
}

const key = (name: string, kind: Kind, meaning: string, more: Partial<ConfigKey> = {}): ConfigKey => ({
  key: name,
  kind,
  meaning,
  ...(kind.names && { names: kind.names }),
  ...more,
});

function kindOf(kind: SettingKind): Kind {
  switch (kind.type) {
    case 'whole':
      return wholeNumber(kind.from, kind.to);
    case 'code':
      return oneOf(kind.codes);
    case 'hours':
      return HOURS;
  }
}

const QUIET_ZONE = key('wake.time_zone', TIME_ZONE, "Time zone of the quiet hours. Default: this machine's.");

const OWN = { own: true } as const;
const MEMBER = { name: AGENT_NAME };

export const CONFIG_KEYS: readonly ConfigKey[] = [
  key('mailbox_root', PATH, `The mail store, as \`${VARIABLE.mailboxDir}\` names it.`),
  key('tmux_socket', TEXT, 'Name or path of the tmux socket, as `ROUSE_TMUX_SOCKET` names it.', {
    ...OWN,
    names: 'file',
  }),
  key('fleet', NAME, 'Which of `fleets` agents register with and commands speak to.'),
  key('fleets.*.url', WEB_ADDRESS, 'Its address, as `ROUSE_FLEET_URL` names one.', OWN),
  key(
    'fleets.*.token_file',
    PATH,
    'File, 0600, with the token for it. Default `$ROUSE_HOME/server/admin-token`.',
    OWN,
  ),
  key('wake.on', YES_OR_NO, 'Launch and join wake the agent for mail, as with `--wake`.'),
  ...wakeSettings.flatMap(([name, { kind, config }]) => [
    key(`wake.${name}`, kindOf(kind), config),
    ...(kind.type === 'hours' ? [QUIET_ZONE] : []),
  ]),
  key('tools.*.tool', TOOL, 'The tool of the preset. Default: the tool of that name.'),
  key('tools.*.args', WORDS, "Arguments, before those after `--`. In a project's file only harmless ones."),
  key('tools.*.role', ROLE, "The agent's role, as text."),
  key('tools.*.role_file', PATH, "The agent's role, from a file."),
  key('tools.*.home', PATH, "The tool's configuration directory.", OWN),
  key('tools.*.env.*', TEXT, 'A variable for the tool, never a secret: it is kept in the record.', {
    ...OWN,
    names: 'environment',
  }),
  key('team.*.tool', TOOL, 'What `rouse up` starts as this agent: a tool or a preset.', MEMBER),
  key('team.*.workdir', PATH, 'Its working directory. Default: the directory of the file.', MEMBER),
  key('team.*.headless', YES_OR_NO, 'Without a screen, one process per turn.', MEMBER),
  key('team.*.wake', YES_OR_NO, 'Whether it is woken for mail. Default: yes.', MEMBER),
  key('team.*.mailbox', PATH, 'A mail store or flat mailbox file of its own.', MEMBER),
  key('team.*.address', TEXT, `Its mail address. Default: \`<name>@${LOCAL_DOMAIN}\`.`, MEMBER),
  key('team.*.role', ROLE, 'Its role, instead of that of the preset.', MEMBER),
  key('team.*.role_file', PATH, 'The same, from a file.', MEMBER),
];

/** The table of docs/configuration.md. */
export function configMarkdown(): string {
  const rows = CONFIG_KEYS.map(
    ({ key, kind, meaning, own }) =>
      `| \`${key}\` | ${kind.words.replaceAll('|', '\\|')} | ${own ? 'no' : 'yes'} | ${meaning} |`,
  );
  return ['| Key | Value | In a project | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}
