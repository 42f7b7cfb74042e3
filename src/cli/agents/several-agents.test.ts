import { describe, expect, it } from 'vitest';
import { notFound, unavailable } from '../../base/index.ts';
import { command, type Input, type Output } from '../command.ts';
import { severalAgents } from './several-agents.ts';
import { AGENT_FLAGS, type AgentInput } from './target.ts';

const one = command({
  name: 'poke',
  summary: 'for tests',
  flags: AGENT_FLAGS,
  run: async ({ flags }: AgentInput): Promise<Output> => {
    const { agentName } = flags;
    if (agentName === 'gone') throw notFound('there is no agent gone', { hint: 'look' });
    if (agentName === 'away') throw unavailable('it is away');
    return { data: { poked: agentName }, plain: `${agentName}: poked` };
  },
});

async function poke(args: string[], flags: object = {}, style: 'plain' | 'json' = 'plain') {
  let out = '';
  let err = '';
  const input = {
    args,
    flags,
    style,
    env: {},
    stdin: async () => '',
    signal: new AbortController().signal,
    settings: { config: { own: { path: 'none' } } },
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
  } as unknown as Input;
  const output = (await severalAgents(one).run!(input)) as Output;
  return { out, err, output };
}

describe('a command for several agents', () => {
  it('a command with one name is as it was', async () => {
    const { out, output } = await poke([], { agentName: 'ana' });
    expect([out, output]).toEqual(['', { data: { poked: 'ana' }, plain: 'ana: poked' }]);
    expect((await poke([], { agentName: 'ana,ana' })).output.plain).toBe('ana: poked');
    await expect(poke([], { agentName: 'gone' })).rejects.toThrow('there is no agent gone');
  });

  it('a command runs once for each name, goes on after a failure, and ends with the worst exit code', async () => {
    const { out, err, output } = await poke(['gone', 'ben,away', 'ana'], { agentName: 'ana' });
    expect(out).toBe('ana: poked\nben: poked\n');
    expect(err).toBe('error: gone: there is no agent gone\nlook\nerror: away: it is away\n');
    expect(output).toEqual({ data: undefined, exitCode: 7 });
  });

  it('a command for several names prints one JSON document with an outcome for each', async () => {
    const { out, output } = await poke(['gone'], { agentName: 'ana' }, 'json');
    expect(out).toBe('');
    expect(output).toMatchObject({
      exitCode: 3,
      data: {
        schema_version: 1,
        agents: [
          { agent_name: 'ana', exit_code: 0, result: { poked: 'ana' }, error: null },
          { agent_name: 'gone', exit_code: 3, result: null, error: { code: 'not_found', hint: 'look' } },
        ],
      },
    });
  });

  it('a command refuses an empty name, and names together with --all or --team, before anything is done', async () => {
    await expect(poke([], { agentName: 'ana,,ben' })).rejects.toThrow(/empty name between its commas/);
    await expect(poke([], { agentName: 'ana', all: true })).rejects.toThrow(/exclude each other/);
    await expect(poke([], { team: true, all: true })).rejects.toThrow(/exclude each other/);
    await expect(poke([], { team: true })).rejects.toThrow('no file names a team');
  });
});
