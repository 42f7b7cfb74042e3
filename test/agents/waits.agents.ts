import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { OPERATOR } from '../../src/domain/index.ts';
import type { Script } from './model/mock-model.ts';
import { AgentUnderTest } from './support/agent-under-test.ts';
import { findInstalled } from './support/installed-tool.ts';
import { REAL_TOOLS } from './support/real-tools.ts';

const TEAM = [
  ['ana', REAL_TOOLS.claude],
  ['ben', REAL_TOOLS.codex],
  ['cem', REAL_TOOLS.pi],
] as const;
const PATIENCE = { timeout: 600_000 };
const address = (name: string): string => `${name}@houmao.localhost`;

const ORDER = /^Please ask (\S+@\S+) which port it uses, and wait for the answer\.$/m;

/** A model that asks as ordered, with the mail tool it was offered. */
const asks: Script = (prompt, results, tools) => {
  const to = ORDER.exec(prompt)?.[1];
  if (to === undefined) return undefined;
  if (results.length > 0) return { say: `Asked: ${results[0]}` };
  const tool = tools.find(({ name }) => /(^|[^a-z])mail_send$/.test(name));
  if (!tool) return { say: `no mail_send among ${tools.map(({ name }) => name).join(' ')}` };
  const message = { to: [to], subject: 'Which port?', body_content: 'Please.', expects_answer: true };
  return { call: tool.name, args: message };
};

describe('three agents of three tools that ask each other', () => {
  const agents: AgentUnderTest[] = [];

  beforeAll(async () => {
    for (const [name, tool] of TEAM) {
      const installed = findInstalled(tool.tool);
      const [first] = agents;
      const agent = new AgentUnderTest(tool, installed, name, first);
      if (first) {
        const { directory: home, workdir, env } = first.world;
        const place = { home, workdir, modelUrl: first.model.url, secret: 'credential', trusted: true };
        const more = tool.setUp({ ...place, stock: true });
        Object.assign(env, more, {
          PATH: [...installed.directories, env['PATH']].join(path.delimiter),
        });
      } else await agent.open({ stock: true });
      agents.push(agent);
    }
    agents[0]!.model.script = asks;
    for (const agent of agents) {
      await agent.launch(agent.tool.mailing);
      await agent.started();
    }
  }, 600_000);

  afterAll(async () => {
    for (const agent of agents.toReversed()) await agent.command('stop');
    await agents[0]!.close();
  }, 120_000);

  const rouse = (...words: string[]) => agents[0]!.world.rouse([...words, '--print-json']);
  const subjects = async (of: string): Promise<string[]> => {
    const { json, stderr } = await rouse('mail', 'list', '--address', of, '--limit', '100');
    if (!json) throw new Error(stderr);
    return (json['messages'] as { subject: string }[]).map(({ subject }) => subject);
  };
  const reported = async (of: string): Promise<number> =>
    (await subjects(of)).filter((subject) => subject.startsWith('You wait for each other')).length;
  const everyone = [...TEAM.map(([name]) => address(name)), OPERATOR.address];

  /** Its model asks the next agent, and the question has arrived. */
  async function ask(from: number, to: number): Promise<void> {
    const [asker, asked] = [agents[from]!, address(TEAM[to]![0])];
    await asker.begin(`Please ask ${asked} which port it uses, and wait for the answer.`);
    await asker.world.until(async () => (await subjects(asked)).includes('Which port?'));
  }

  it(
    'a circle of claude, codex and pi is found when it closes, and each of them and the person gets one report',
    PATIENCE,
    async () => {
      onTestFailed(() => {
        for (const agent of agents) console.error(agent.name, agent.screen());
        console.error(JSON.stringify(agents[0]!.model.log.slice(-6), null, 1));
      });
      await ask(0, 1);
      await ask(1, 2);
      expect(await Promise.all(everyone.map(reported))).toEqual([0, 0, 0, 0]);
      await ask(2, 0);
      await agents[0]!.world.until(async () => (await reported(OPERATOR.address)) > 0);
      expect(await Promise.all(everyone.map(reported))).toEqual([1, 1, 1, 1]);
      const { stdout } = await agents[0]!.world.rouse(['waits']);
      for (const name of ['ana', 'ben', 'cem']) expect(stdout).toContain(name);
      expect(stdout).toMatch(/wait for each other/i);
      const { json } = await rouse('mail', 'list', '--address', OPERATOR.address);
      const { message_ref } = (json['messages'] as { subject: string; message_ref: string }[]).find(
        ({ subject }) => subject.startsWith('You wait'),
      )!;
      const body = await rouse('mail', 'peek', '--address', OPERATOR.address, '--message-ref', message_ref);
      expect(JSON.stringify(body.json)).toMatch(/The shortest way out: (ana|ben|cem) answers/);
      // Asking the same again is not reported again.
      await agents[2]!.begin(`Please ask ${address('ana')} which port it uses, and wait for the answer.`);
      await agents[2]!.world.until(
        async () => (await subjects(address('ana'))).filter((each) => each === 'Which port?').length === 2,
      );
      expect(await Promise.all(everyone.map(reported))).toEqual([1, 1, 1, 1]);
    },
  );
});
