import * as fs from 'node:fs';
import * as path from 'node:path';
import { COMMANDS, type CommandName, DEATHS, type Death } from './deaths.ts';

/** docs/deaths.md: the output of each command after each death. The proof compares it, or writes it on request. */
const FILE = path.resolve(import.meta.dirname, '../../docs/deaths.md');

const HEAD = `# What you see when something dies

Agent \`ana\` runs with a gateway, is woken for mail, and something dies. Below is what each command then says, in short: of a status
only the lines about it, \`<…>\` for what differs from run to run. Nothing is silent, and the command that is named brings the agent
back with its conversation, its gateway and its wakes as they were.

\`npm run test:deaths\` plays all of it and compares; \`GOLDEN_UPDATE=yes npm run test:deaths\` writes this page again.
`;

export type Cell = `${string}/${CommandName}`;
export const cellOf = ({ name }: Death, command: CommandName): Cell => `${name}/${command}`;

/** The text of the page, by cell. */
export function readPage(): Map<string, string> {
  const text = fs.existsSync(FILE) ? fs.readFileSync(FILE, 'utf8') : '';
  return new Map(
    text.split('\n## ').flatMap((section) => {
      const [name] = section.split('\n', 1);
      const [, block = ''] = section.split('```');
      return block.split('\n$ ').flatMap((said): [string, string][] => {
        const [line, ...rest] = said.trim().split('\n');
        const command = Object.entries(COMMANDS).find(([, words]) => words === line)?.[0];
        return command ? [[`${name}/${command}`, rest.join('\n')]] : [];
      });
    }),
  );
}

export function writePage(said: ReadonlyMap<string, string>): void {
  const sections = DEATHS.map((death) => {
    const cells = Object.entries(COMMANDS).map(
      ([command, line]) => `$ ${line}\n${said.get(cellOf(death, command as CommandName)) ?? ''}\n`,
    );
    return `\n## ${death.name}\n\n${death.what}\n\n\`\`\`text\n${cells.join('\n')}\`\`\`\n`;
  });
  fs.writeFileSync(FILE, HEAD + sections.join(''));
}
