import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import type { MailMessageView } from '../../src/wire/index.ts';
import type { Received } from './model/mock-model.ts';
import { AGENT, AgentUnderTest } from './support/agent-under-test.ts';
import { findInstalled } from './support/installed-tool.ts';
import { actOnMail, isWake } from './support/mail-actor.ts';
import type { RealTool } from './support/real-tools.ts';

const ADDRESS = `${AGENT}@houmao.localhost`;
const SENDER = 'ben@houmao.localhost';

/** Mail wakes a real command line, which reads and archives it through its gateway. */
export function describeWakes(tool: RealTool): void {
  const installed = findInstalled(tool.tool);
  describe(`${tool.tool}, woken by mail`, () => {
    let agent: AgentUnderTest;

    beforeAll(async () => {
      agent = await new AgentUnderTest(tool, installed).open();
      agent.model.script = actOnMail;
      await agent.launch(tool.mailing);
      await agent.started();
      await mailbox('register', '--address', SENDER, '--principal-id', 'ben');
    });

    afterAll(async () => {
      await agent.close();
    });

    beforeEach(() => {
      onTestFailed(() => console.error(agent.screen(), JSON.stringify(agent.model.log.slice(-5), null, 1)));
    });

    async function mailbox(...words: string[]): Promise<void> {
      const { code, stderr } = await agent.world.rouse(['mailbox', ...words]);
      if (code !== 0) throw new Error(stderr);
    }

    async function send(subject: string, body: string): Promise<string> {
      const { json, code, stderr } = await agent.world.rouse([
        ...['mail', 'send', '--print-json', '--address', SENDER, '--to', ADDRESS],
        ...['--subject', subject, '--body-content', body],
      ]);
      if (code !== 0) throw new Error(stderr);
      return json['message']['message_ref'];
    }

    const wakes = (): Received[] => agent.model.prompts().filter(({ prompt }) => isWake(prompt));

    async function message(ref: string): Promise<MailMessageView> {
      return (await agent.gateway.call('mail.peek', { body: { message_ref: ref } })).message;
    }

    async function archived(ref: string): Promise<MailMessageView> {
      return agent.world.until(async () => {
        const found = await message(ref);
        return found.archived ? found : undefined;
      });
    }

    /** Waits until the end of the last wake's turn was seen; returns that request. */
    async function lastWakeEnded(): ReturnType<typeof agent.gateway.getRequest> {
      const { decisions } = await agent.gateway.call('notifier.decisions', { limit: 100 });
      const id = decisions.find(({ outcome }) => outcome === 'enqueued')!.enqueued_request_id!;
      await agent.finished(id);
      return agent.gateway.getRequest(id);
    }

    it(`${tool.tool} wakes for mail that was there before, fetches it and archives it`, async () => {
      const ref = await send('Count the lines', 'Please count the lines of the file Words.');
      expect(
        (await agent.command('gateway', 'mail-notifier', 'enable', '--interval-seconds', '3600')).code,
      ).toBe(0);
      expect(await archived(ref)).toMatchObject({ archived: true, read: true });
      const request = await lastWakeEnded();
      expect(request).toMatchObject({ outcome: 'submitted', request_kind: 'mail_notifier_prompt' });
      expect(request.ledger!.map(({ stage }) => stage)).toContain('submitted');
      expect(wakes()).toHaveLength(1);
      expect(tool.arrives(String(request.payload['prompt']))).toBe(wakes()[0]!.prompt);
      expect(wakes()[0]!.prompt).not.toMatch(/Count the lines|file Words/);
    });

    it(`${tool.tool} wakes once for mail that comes while it works, as soon as it has finished`, async () => {
      const before = wakes().length;
      let allSent = (): void => {};
      const sent = new Promise<void>((resolve) => (allSent = resolve));
      // Not the tool's side requests: the turn would not begin.
      const isSlow = ({ prompt, side }: Received): boolean => !side && prompt.startsWith('Take your time');
      agent.model.hold = (received) => (isSlow(received) ? sent : undefined);
      await agent.begin('Take your time.');
      await agent.received(/Take your time/);
      const refs = [await send('First', 'one'), await send('Second', 'two'), await send('Third', 'three')];
      allSent();
      for (const ref of refs) await archived(ref);
      const slow = agent.model.log.find(isSlow)!;
      expect(slow.aborted).toBe(false);
      await lastWakeEnded();
      expect(wakes()).toHaveLength(before + 1);
    });

    it(`${tool.tool} wakes for a note the operator posts through the gateway`, async () => {
      const posted = await agent.gateway.call('mail.post', {
        body: { subject: 'A note', body_content: 'of the operator' },
      });
      expect(await archived(posted.message.message_ref)).toMatchObject({ archived: true });
      await lastWakeEnded();
    });

    it(`${tool.tool} is not woken again once everything is archived`, async () => {
      const before = wakes().length;
      await agent.gateway.call('notifier.enable', { body: { interval_seconds: 1 } });
      await agent.world.until(async () => {
        const { decisions } = await agent.gateway.call('notifier.decisions', { limit: 1 });
        return decisions[0]?.outcome === 'empty';
      });
      const { last_poll_at_utc: first } = await agent.gateway.notifier();
      await agent.world.until(async () => (await agent.gateway.notifier()).last_poll_at_utc !== first);
      expect(wakes()).toHaveLength(before);
      expect((await agent.gateway.call('mail.status', {})).open_count).toBe(0);
    });
  });
}
