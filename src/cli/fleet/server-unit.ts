/** What a systemd user unit for the server needs to know. */
export interface UnitFacts {
  /** The program and its arguments. */
  command: readonly string[];
  home: string;
  /** A file of settings such as DATABASE_URL. */
  environmentFile: string;
}

/** The first line of every unit we write. Only a file with this line may be replaced or removed. */
export const UNIT_MARK = '# Written by "rouse server install"; changes are lost at the next one.';

export const UNIT_NAME = 'rouse-server.service';

export function serverUnit({ command, home, environmentFile }: UnitFacts): string {
  return `${UNIT_MARK}
[Unit]
Description=Rouse fleet server
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=${command.map(unitWord).join(' ')}
Environment=${unitWord(`ROUSE_HOME=${home}`)}
# DATABASE_URL and other settings, NAME=value a line, for your eyes only (chmod 600).
EnvironmentFile=-${environmentFile.replaceAll('%', '%%')}
Restart=always
RestartSec=2
TimeoutStopSec=30
# Agents that the server launched live on without it.
KillMode=process
UMask=0077
LimitNOFILE=65536

[Install]
WantedBy=default.target
`;
}

/** One word of a unit file: quoted where needed; percent signs and dollars mean nothing. */
function unitWord(text: string): string {
  const plain = text.replaceAll('%', '%%').replaceAll('$', '$$$$');
  if (/^[\w@%+=:,./$-]+$/.test(plain)) return plain;
  return `"${plain.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
