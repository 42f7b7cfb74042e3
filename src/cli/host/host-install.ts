import { command, type Input, type InputOf, type Output } from '../command.ts';
import { ownProgram, PRINT, removeUnit, startLines, unitPath, writeUnit } from '../unit/unit-file.ts';
import { environmentLine, execLine, unitText } from '../unit/unit-text.ts';

const WRITTEN_BY = 'rouse host install';
const UNIT_NAME = 'rouse-host.service';

/** Of what finds tmux and its sessions. None of it is a secret. */
const PASSED_ON = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TMUX_TMPDIR', 'ROUSE_TMUX_SOCKET'];

async function hostUnit({ env, settings }: Input): Promise<string> {
  const program = await ownProgram();
  const passed = PASSED_ON.flatMap((name) => (env[name] ? [environmentLine(name, env[name])] : []));
  return unitText({
    writtenBy: WRITTEN_BY,
    description: 'Rouse gateways of this user',
    service: [
      'Type=oneshot',
      'RemainAfterExit=yes',
      execLine('ExecStart', [...program, 'host', 'start']),
      execLine('ExecStop', [...program, 'host', 'stop']),
      '# Some gateways did not come back, for example because their sessions ended with the machine.',
      'SuccessExitStatus=7',
      environmentLine('ROUSE_HOME', settings.home),
      ...passed,
      'TimeoutStopSec=60',
      '# tmux sessions and gateways with a process of their own live on without it.',
      'KillMode=process',
      'UMask=0077',
    ],
  });
}

async function install(input: InputOf<readonly [typeof PRINT]>): Promise<Output> {
  const file = unitPath(input, UNIT_NAME);
  const text = await hostUnit(input);
  if (input.flags.print) return { data: { unit_file: file, unit: text }, plain: text.trimEnd() };
  writeUnit(file, text, WRITTEN_BY);
  const plain = [
    `Wrote ${file}. Nothing was started. To bring back every gateway at each login or boot:`,
    ...startLines(UNIT_NAME),
    `Its log: journalctl --user -u ${UNIT_NAME}. After a reboot, "rouse up" brings back the team and its tmux sessions.`,
  ].join('\n');
  return { data: { unit_file: file }, plain };
}

export const HOST_INSTALL = [
  command({
    name: 'install',
    summary: 'a systemd user unit that brings the gateways back at each login or boot',
    description:
      'Writes the unit and says how to start it, but starts nothing. The unit runs "rouse host start", and "rouse host stop" when it is stopped.',
    examples: ['rouse host install --print', 'rouse host install'],
    flags: [PRINT],
    run: install,
  }),
  command({
    name: 'uninstall',
    summary: 'remove that unit',
    examples: ['rouse host uninstall'],
    flags: [],
    run: async (input) => removeUnit(unitPath(input, UNIT_NAME), WRITTEN_BY),
  }),
];
