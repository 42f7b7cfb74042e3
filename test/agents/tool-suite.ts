import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { AGENT, AgentUnderTest, isAsking } from './support/agent-under-test.ts';
import { findInstalled } from './support/installed-tool.ts';
import type { RealTool } from './support/real-tools.ts';

const SIXTY_LINES = Array.from({ length: 60 }, (_, at) => `line ${at + 1} of sixty, with a few words`).join(
  '\n',
);

const AWKWARD: [what: string, text: string][] = [
  ['a trailing semicolon', 'this ends with a semicolon;'],
  ['quotes and shell words', `it's "quoted" \`ticks\` $(touch pwned) $HOME | tee x && rm -f y`],
  ['other scripts and emoji', 'Grüße, 你好, здравствуй, 👩‍👩‍👧 and é'],
  ['several lines with blank ones', 'first\n\n  indented\n- point\nlast'],
  ['key names', 'C-c Enter Escape M-x'],
  ['words of a dialog', 'Do you want to proceed?\n❯ 1. Yes\n  2. No, esc to cancel'],
];

/** Requirements for a real command line, with one agent for all tests. */
export function describeTool(tool: RealTool): void {
  const installed = findInstalled(tool.tool);
  describe(`${tool.tool} as an agent`, () => {
    let agent: AgentUnderTest;
    let launched: Record<string, unknown>;

    beforeAll(async () => {
      agent = await new AgentUnderTest(tool, installed).open();
      launched = await agent.launch(tool.asking);
      await agent.started();
    });

    afterAll(async () => {
      await agent.close();
    });

    beforeEach(async () => {
      onTestFailed(() => console.error(agent.screen(), JSON.stringify(agent.model.log.slice(-5), null, 1)));
    });

    /** Submitted once by the lane, received once by the model. */
    const arrived = async (text: string): Promise<void> => {
      const { ledger } = await agent.turn(text);
      const stages = ledger!.map(({ stage }) => stage).filter((stage) => stage !== 'finished');
      expect(stages[0]).toBe('accepted');
      // It may have been queued again before: a screen that moved at the instant of typing is not ready.
      expect(stages.slice(stages.lastIndexOf('running'))).toEqual([
        ...['running', 'typing', 'typed', 'submitted', 'turn_seen'],
        ...(tool.silentEnd ? [] : ['turn_finished']),
      ]);
      const proof = ledger!.find(({ stage }) => stage === 'submitted')!;
      expect(tool.provenBy).toContain(proof.source);
      const end = ledger!.find(({ stage }) => stage === 'turn_finished');
      if (!tool.silentEnd) expect(end!.facts['result']).toBe('success');
      expect(agent.model.timesPrompted(tool.arrives(text))).toBe(1);
    };

    it(`${tool.tool} is launched in a version that is known, with a gateway beside it`, async () => {
      expect(launched['tool_pid']).toEqual(expect.any(Number));
      const { tracked_session, facts } = await agent.gateway.tuiState();
      expect(tracked_session).toMatchObject({ tool: tool.tool });
      const version = facts!.find(({ name }) => name === 'tool_version')!;
      expect(version.value).toMatch(/^\d+\.\d+\.\d+/);
      console.info(`${tool.tool} ${version.value}`);
      const { json } = await agent.command('gateway', 'status');
      expect(json).toMatchObject({ gateway_health: 'healthy', managed_agent_connectivity: 'connected' });
    });

    it(`${tool.tool} gets a prompt as it was submitted, once, and the ledger proves it`, async () => {
      await arrived('A first word from Rouse.');
    });

    it(`${tool.tool} gets sixty lines as one prompt`, async () => {
      await arrived(SIXTY_LINES);
    });

    it.each(AWKWARD)(`${tool.tool} gets %s as written`, async (_what, text) => {
      await arrived(text);
      expect(fs.existsSync(path.join(agent.world.workdir, 'pwned'))).toBe(false);
    });

    it(`${tool.tool} gets the same words again as a prompt of their own`, async () => {
      const text = 'Say it again.';
      await agent.turn(text);
      await agent.turn(text);
      expect(agent.model.timesPrompted(tool.arrives(text))).toBe(2);
    });

    it.each(tool.refuses)(
      `${tool.tool} is never given %j, which it would not take as written`,
      async (text) => {
        const before = agent.model.prompts().length;
        const { outcome, ledger } = await agent.ended(await agent.submit(text));
        expect(outcome).toBe('refused');
        expect(ledger!.map(({ stage }) => stage)).not.toContain('typed');
        // A tool may also send its own requests to the model.
        const words = /[\w ]{5,}/.exec(text)![0].trim();
        const since = agent.model.prompts().slice(before);
        expect(since.filter(({ prompt }) => prompt.includes(words))).toEqual([]);
        expect(fs.existsSync(path.join(agent.world.workdir, 'pwned'))).toBe(false);
      },
    );

    it(`${tool.tool} begins a new chat when a prompt asks for one`, async () => {
      const text = 'A word in a new chat.';
      await agent.turn('A word in the old chat.');
      await agent.promptNow({ prompt: text, chat_session: { mode: 'new' } });
      const { requests } = await agent.gateway.call('requests.list', { limit: 1 });
      await agent.finished(requests[0]!.request_id);
      const received = agent.model.prompts().filter(({ prompt }) => prompt === tool.arrives(text));
      expect(received.map(({ answers }) => answers)).toEqual([0]);
    });

    // A tool is not tested for what it does not have.
    if (tool.command)
      it(`${tool.tool} runs a command that its menu offers; another is taken back`, async () => {
        await agent.turn('A word before the command.');
        await agent.ready();
        const ran = await agent.ended(await agent.submit(tool.command!));
        expect([ran.outcome, ran.error_detail]).toEqual(['submitted', null]);
        await agent.ready();
        const before = agent.model.log.length;
        for (const other of [tool.command!.slice(0, -1), ...(tool.dropsUnknown ? ['/nonsense'] : [])]) {
          const { outcome, error_detail } = await agent.ended(await agent.submit(other));
          expect([outcome, error_detail]).toEqual([
            'failed',
            expect.stringMatching(/the text was taken back$/),
          ]);
          await agent.ready();
        }
        expect(agent.model.log.length).toBe(before);
        const text = 'A word after the command.';
        await agent.turn(text);
        const received = agent.model.prompts().filter(({ prompt }) => prompt === tool.arrives(text));
        expect(received.map(({ answers }) => answers)).toEqual([0]);
      });

    it(`${tool.tool} gets no control characters: a paste that would break out arrives as plain words`, async () => {
      await agent.turn('before \x1b[201~!touch pwned\r after');
      expect(fs.existsSync(path.join(agent.world.workdir, 'pwned'))).toBe(false);
      await agent.received(/^before .*!touch pwned\s+after/);
    });

    if (tool.askDirective)
      it(`${tool.tool} gets no prompt while it asks for permission; the prompt waits`, async () => {
        await agent.begin(`Please ${tool.askDirective!('touch asked')}`);
        await agent.state(isAsking);
        const id = await agent.submit('Said while it asked.');
        await agent.waitsFor(id, /dialog/);
        const now = await agent.gateway
          .prompt({ prompt: 'Now!', force: true })
          .catch((error: Error) => error);
        expect(now).toBeInstanceOf(Error);
        expect(agent.model.timesPrompted(tool.arrives('Said while it asked.'))).toBe(0);
        await agent.answers(tool.denyKeys);
        await agent.ended(id);
        await agent.finished(id);
        expect(agent.model.timesPrompted(tool.arrives('Said while it asked.'))).toBe(1);
        expect(fs.existsSync(path.join(agent.world.workdir, 'asked'))).toBe(false);
      });

    it(`${tool.tool} gets no prompt while it works; the prompt becomes a turn of its own afterwards`, async () => {
      await agent.submit('Take your time. [[delay=4000]]');
      await agent.received(/Take your time/);
      const id = await agent.submit('Said while it worked.');
      await agent.waitsFor(id, /phase|busy|active/);
      await agent.ended(id);
      const slow = agent.model.log.find(({ prompt }) => prompt.startsWith('Take your time'))!;
      expect(slow.aborted).toBe(false);
      await agent.finished(id);
      expect(agent.model.timesPrompted(tool.arrives('Said while it worked.'))).toBe(1);
    });

    it(`${tool.tool} leaves a person's draft alone; the prompt waits until it is gone`, async () => {
      agent.types('half a thought');
      await agent.state(({ surface }) => surface.editing_input === 'yes');
      const id = await agent.submit('Said beside a draft.');
      await agent.waitsFor(id, /editing_input/);
      await expect(agent.gateway.prompt({ prompt: 'Now!', force: true })).rejects.toThrow(
        /editing_input|queued/,
      );
      expect(agent.screen()).toContain('half a thought');
      agent.keys('C-u');
      await agent.ended(id);
      await agent.finished(id);
      expect(agent.model.timesPrompted(tool.arrives('Said beside a draft.'))).toBe(1);
    });

    it(`${tool.tool} is interrupted at once, and the next prompt arrives alone`, async () => {
      await agent.submit('Never mind. [[delay=60000]]');
      await agent.received(/Never mind/);
      const { outcome } = await agent.ended((await agent.gateway.interrupt()).request_id);
      expect(outcome).toBe('submitted');
      await agent.world.until(() =>
        agent.model.log.some(({ prompt, aborted }) => prompt.startsWith('Never mind') && aborted),
      );
      await arrived('After the interrupt.');
      expect(agent.model.prompts().filter(({ prompt }) => prompt.startsWith('Never mind'))).toHaveLength(1);
    });

    it(`${tool.tool} gets a waiting prompt once though its gateway is killed`, async () => {
      agent.types('a draft');
      await agent.state(({ surface }) => surface.editing_input === 'yes');
      const id = await agent.submit('Said before the kill.');
      const { pid } = await agent.gateway.health();
      process.kill(pid!, 'SIGKILL');
      await agent.world.until(() => !fs.existsSync(`/proc/${pid}`));
      await agent.attach();
      agent.keys('C-u');
      await agent.ended(id);
      await agent.finished(id);
      expect(agent.model.timesPrompted(tool.arrives('Said before the kill.'))).toBe(1);
    });

    it(`${tool.tool} shows its credentials to no one, and keeps its files to its owner`, () => {
      expect(agent.leaks()).toEqual([]);
      expect(agent.world.readableByOthers()).toEqual([]);
    });

    it(`${tool.tool} stays when its gateway is detached, and leaves nothing when it is stopped`, async () => {
      expect((await agent.command('gateway', 'detach')).code).toBe(0);
      expect((await agent.command('gateway', 'status')).json).toMatchObject({
        gateway_health: 'not_attached',
      });
      expect(fs.existsSync(`/proc/${launched['tool_pid']}`)).toBe(true);
      expect((await agent.command('stop')).code).toBe(0);
      await agent.world.until(() => agent.world.processes().length === 0);
      expect(agent.world.tmux('list-sessions')).toBe('');
      expect(agent.world.readableByOthers()).toEqual([]);
      const { json } = await agent.world.rouse(['agents', 'list', '--print-json']);
      expect(JSON.stringify(json)).not.toContain(AGENT);
      expect(agent.model.faults).toEqual([]);
    });
  });

  if (tool.trustRow)
    describe(`${tool.tool} where it has not been before`, () => {
      let agent: AgentUnderTest;

      afterAll(async () => {
        await agent.close();
      });

      it(`${tool.tool} gets no prompt while it asks whether it may work here`, async () => {
        agent = await new AgentUnderTest(tool, installed).open({ trusted: false });
        onTestFailed(() => console.error(agent.screen()));
        await agent.launch(tool.asking);
        const id = await agent.submit('Said before it could start.');
        await agent.state(isAsking);
        await agent.waitsFor(id, /dialog/);
        expect(agent.model.log).toEqual([]);
        await agent.trusts();
        await agent.ended(id);
        await agent.finished(id);
        expect(agent.model.timesPrompted(tool.arrives('Said before it could start.'))).toBe(1);
      });
    });
}
