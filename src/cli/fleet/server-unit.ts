import { environmentLine, execLine, unitText } from '../unit/unit-text.ts';

/** What a systemd user unit for the server needs to know. */
export interface UnitFacts {
  /** The program and its arguments. */
  command: readonly string[];
  home: string;
  /** A file of settings such as DATABASE_URL. */
  environmentFile: string;
}

export const WRITTEN_BY = 'rouse server install';

export const UNIT_NAME = 'rouse-server.service';

export const serverUnit = ({ command, home, environmentFile }: UnitFacts): string =>
  unitText({
    writtenBy: WRITTEN_BY,
    description: 'Rouse fleet server',
    unit: ['After=network-online.target', 'StartLimitIntervalSec=0'],
    service: [
      execLine('ExecStart', command),
      environmentLine('ROUSE_HOME', home),
      '# DATABASE_URL and other settings, NAME=value a line, for your eyes only (chmod 600).',
      `EnvironmentFile=-${environmentFile.replaceAll('%', '%%')}`,
      'Restart=always',
      'RestartSec=2',
      'TimeoutStopSec=30',
      '# Agents that the server launched live on without it.',
      'KillMode=process',
      'UMask=0077',
      'LimitNOFILE=65536',
    ],
  });
