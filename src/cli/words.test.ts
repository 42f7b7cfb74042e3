import { afterEach, describe, expect, it } from 'vitest';
import { type CliAgent, cliAgent } from '../../test/support/cli-agent.ts';
import { Ending } from '../base/index.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

async function error(agent: CliAgent, line: string): Promise<string> {
  const { code, err } = await agent.rouse(line.split(' '));
  return `${code} ${err}`;
}

describe('a flag that may be a plain word', () => {
  it('a plain word names the agent as its flag does, in every command with that flag', async () => {
    const { json } = await cliAgent(ending);
    const shown = await json(['agents', 'gateway', 'status', '--agent-name', 'gpu']);
    expect(await json(['agents', 'gateway', 'status', 'gpu'])).toEqual(shown);
    expect(await json(['status', 'gpu'])).toEqual(shown);
  });

  it('a second name of the agent, or one word too many, is refused', async () => {
    const agent = await cliAgent(ending);
    expect(await error(agent, 'agents show gpu --agent-id x')).toMatch(/^2 .*--agent-id or --agent-name/);
    expect(await error(agent, 'open gpu ben')).toMatch(/^2 .*unexpected word "ben"/);
    expect(await error(agent, 'open --agent-name gpu ben')).toMatch(/^2 .*unexpected word "ben"/);
    expect(await error(agent, 'agents prompt gpu write a poem')).toMatch(/^2 [\s\S]*quote a text of several/);
    expect(await error(agent, 'open gpu ben')).not.toContain('quote');
    expect(await error(agent, 'version now')).toMatch(/^2 .*unexpected word "now"/);
  });

  it('words after two dashes are left to the tool', async () => {
    const agent = await cliAgent(ending);
    const said = await error(agent, 'launch -- claude ana');
    expect(said).toMatch(/^2 .*--tool <TOOL>' not specified[\s\S]*rouse launch claude ana/);
    // "ana" is an argument of the tool, so the agent is called after the tool.
    expect(await error(agent, 'launch claude -- ana')).toMatch(/^7 .*"claude" is not installed/);
  });
});

describe('what is mistyped', () => {
  it.each([
    ['lunch', /did you mean "rouse launch"\?/],
    ['list', /did you mean "rouse ls" or "rouse agents list"\?/],
    ['show gpu', /did you mean "rouse agents show"/],
    ['kill gpu', /did you mean "rouse stop"/],
    ['agents lst', /did you mean "rouse agents list"\?/],
    ['help nonsense', /unknown command 'nonsense'/],
    ['agents show gpu --name x', /Did you mean --agent-name\?/],
    ['agents show gup', /did you mean "gpu"\?/],
  ])('the mistake %s gets a useful suggestion', async (line, answer) => {
    expect(await error(await cliAgent(ending), line)).toMatch(answer);
  });

  it('a mistake is reported as JSON with --json, the same as --print-json', async () => {
    const { rouse } = await cliAgent(ending);
    const { err } = await rouse(['agents', 'show', 'gup', '--json']);
    expect(JSON.parse(err).error).toMatchObject({ code: 'not_found' });
  });
});

describe('help', () => {
  it('help COMMAND prints the same as COMMAND --help', async () => {
    const { rouse } = await cliAgent(ending);
    const { out } = await rouse(['agents', 'gateway', 'attach', '--help']);
    expect((await rouse(['help', 'agents', 'gateway', 'attach'])).out).toBe(out);
    expect((await rouse(['help', 'exit-codes'])).out).toMatch(/130/);
    expect((await rouse(['help'])).out).toBe((await rouse(['--help'])).out);
  });
});
