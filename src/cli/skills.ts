import { invalid } from '../base/index.ts';
import type { SkillInstallation, SkillTarget } from '../session/index.ts';
import { COMMS_SKILL, PROCESS_SKILL } from '../wire/houmao/index.ts';
import { absoluteDirectory } from './agents/flags/mailbox.ts';
import { type Command, command, type Flag, type InputOf, type Output } from './command.ts';
import { FIRST_WORDS } from './first-words.ts';
import { table } from './print/table.ts';

const skilledTools = async (): Promise<string[]> =>
  (await import('../tools/index.ts')).toolNames((tool) => tool.skills);

const HOME = {
  name: 'home',
  value: 'DIR',
  summary: "the tool's home directory (default: its own variable, or a directory in your home)",
  parse: absoluteDirectory,
} as const satisfies Flag;

async function install(input: InputOf<typeof INSTALL_FLAGS>): Promise<Output> {
  const { installSkills, skillStates } = await (await import('../session/index.ts')).skills();
  const tool = input.flags.tool;
  const target = { tool, home: input.flags.home, env: input.env };
  const before = installSkills({ ...target, force: input.flags.force === true });
  const skills = skillStates(target).map((each, i) => ({ ...each, was: before[i]!.state, tool }));
  return {
    data: { schema_version: 1, tool, skills },
    plain: skills.map((each) => `${done(each.was)}  ${each.file}`).join('\n'),
  };
}

function done(was: SkillInstallation['state']): string {
  return { absent: 'installed', outdated: 'updated  ', changed: 'replaced ', current: 'unchanged' }[was];
}

async function uninstall(input: InputOf<typeof LIST_FLAGS>): Promise<Output> {
  const { removeSkills } = await (await import('../session/index.ts')).skills();
  const skills = (await targetsOf(input)).flatMap((target) =>
    removeSkills(target).map((each) => ({ tool: target.tool, ...each })),
  );
  const found = skills.filter(({ state }) => state !== 'absent');
  const lines = found.map((each) =>
    each.state === 'changed' ? `kept, because you changed it  ${each.file}` : `removed  ${each.file}`,
  );
  return {
    data: {
      schema_version: 1,
      skills: found.map(({ state, ...each }) => ({ ...each, removed: state !== 'changed' })),
    },
    plain: lines.join('\n') || 'no skills are installed',
  };
}

/** One tool, or every tool that keeps skills. */
async function targetsOf({ flags: { tool, home }, env }: InputOf<typeof LIST_FLAGS>): Promise<SkillTarget[]> {
  if (home !== undefined && tool === undefined) throw invalid('--home goes with --tool');
  return (tool === undefined ? await skilledTools() : [tool]).map((each) => ({ tool: each, home, env }));
}

async function list(input: InputOf<typeof LIST_FLAGS>): Promise<Output> {
  const { skillStates } = await (await import('../session/index.ts')).skills();
  const skills = (await targetsOf(input)).flatMap((target) =>
    skillStates(target).map((state) => ({ tool: target.tool, ...state })),
  );
  return {
    data: { schema_version: 1, skills },
    plain: table(skills, [
      { title: 'tool', value: (each) => each.tool },
      { title: 'skill', value: (each) => each.skill },
      { title: 'state', value: (each) => each.state },
      { title: 'file', value: (each) => each.file },
    ]),
  };
}

const INSTALL_FLAGS = [
  { name: 'tool', value: 'TOOL', choices: skilledTools, summary: 'the tool', required: true },
  HOME,
  { name: 'force', summary: 'also replace files that were edited by hand' },
] as const satisfies readonly Flag[];

const LIST_FLAGS = [
  { name: 'tool', value: 'TOOL', choices: skilledTools, summary: 'only this tool' },
  HOME,
] as const satisfies readonly Flag[];

const skills: Command = {
  ...FIRST_WORDS.skills,
  subcommands: [
    command({
      name: 'install',
      summary: "write Rouse's two mail skills into a tool's skill directory",
      description:
        `Writes ${PROCESS_SKILL} (one round of mail after a notice) and ${COMMS_SKILL} (the ` +
        'mail API). Files you changed are left alone unless you use --force. Without skills the notice asks the agent to ' +
        'use the endpoints directly.',
      examples: [
        'rouse skills install --tool claude',
        'rouse skills install --tool codex --home /srv/agents/codex-home',
        'rouse skills install --tool claude --home "$PWD/.claude"   # for this project only',
      ],
      flags: INSTALL_FLAGS,
      run: install,
    }),
    command({
      name: 'list',
      summary: 'which skills are installed where, and whether they are unchanged',
      examples: ['rouse skills list', 'rouse skills list --tool claude'],
      flags: LIST_FLAGS,
      run: list,
    }),
    command({
      name: 'uninstall',
      summary: "remove Rouse's skills from the tools' skill directories",
      description: 'From every tool, or from one. Files you changed are kept, and listed.',
      examples: ['rouse skills uninstall', 'rouse skills uninstall --tool claude'],
      flags: LIST_FLAGS,
      run: uninstall,
    }),
  ],
};

export default skills;
