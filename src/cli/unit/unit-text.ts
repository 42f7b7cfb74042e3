/** The first line of every unit that a command of Rouse writes. Only a file with this line may be replaced or removed. */
export const unitMark = (command: string): string =>
  `# Written by "${command}"; changes are lost at the next one.`;

export interface UnitSections {
  /** The command that writes it. */
  writtenBy: string;
  description: string;
  unit?: readonly string[];
  service: readonly string[];
}

/** A systemd user unit that starts with the session of its user. */
export function unitText({ writtenBy, description, unit = [], service }: UnitSections): string {
  return `${[
    unitMark(writtenBy),
    '[Unit]',
    `Description=${description}`,
    ...unit,
    '',
    '[Service]',
    ...service,
    '',
    '[Install]',
    'WantedBy=default.target',
  ].join('\n')}\n`;
}

export const execLine = (name: 'ExecStart' | 'ExecStop', command: readonly string[]): string =>
  `${name}=${command.map(unitWord).join(' ')}`;

export const environmentLine = (name: string, value: string): string =>
  `Environment=${unitWord(`${name}=${value}`)}`;

/** One word of a unit file: quoted where needed; percent signs and dollars mean nothing. */
function unitWord(text: string): string {
  const plain = text.replaceAll('%', '%%').replaceAll('$', '$$$$');
  if (/^[\w@%+=:,./$-]+$/.test(plain)) return plain;
  return `"${plain.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
