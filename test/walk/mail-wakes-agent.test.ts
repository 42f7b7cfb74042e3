import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { GatewayClient } from '../../src/client/index.ts';
import { attach, detach, findTarget, relaunch } from '../../src/session/index.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';

/** The scenarios of the mail notifier, with real tmux, a real gateway and an agent that really handles its mail. */
let world = new TestWorld();
afterEach(async () => {
  await world.close();
  world = new TestWorld();
});

const WAIT = { timeout: 20_000, interval: 50 };
const HANDLES_MAIL = ['--turn', '50ms', '--act-on-mail', '--reply', ''];
const IGNORES_MAIL = ['--turn', '50ms'];

async function agentWith(args: string[], notifier: object = { interval_seconds: 3600 }): Promise<WorldAgent> {
  const agent = await world.agent('ana', args);
  await agent.client.call('notifier.enable', { body: { interval_seconds: 3600, ...notifier } });
  return agent;
}

/** A note from the operator, which needs no second agent. */
const note = (agent: WorldAgent, subject = 'work') =>
  agent.client.call('mail.post', { body: { subject, body_content: 'do it' } });
const outcomes = async (agent: WorldAgent): Promise<string[]> =>
  (await agent.client.call('notifier.decisions', { limit: 50 })).decisions.map(
    (decision) => decision.outcome,
  );
const wakes = (agent: WorldAgent): number => agent.received().length;

describe('mail', () => {
  it('mail while the agent is idle wakes it at once, and handled mail brings no second wake', async () => {
    const agent = await agentWith(HANDLES_MAIL);
    await note(agent);
    await expect
      .poll(() => agent.client.call('mail.status', {}).then((status) => status.open_count), WAIT)
      .toBe(0);
    await expect.poll(() => wakes(agent), WAIT).toBe(1);
    const { decisions } = await agent.client.call('notifier.decisions', { limit: 5 });
    const request = await agent.client.getRequest(decisions[0]!.enqueued_request_id!, true);
    expect(request).toMatchObject({ outcome: 'submitted', request_kind: 'mail_notifier_prompt' });
  });

  it('mail while the agent is busy waits, says why, and wakes it when the turn has ended', async () => {
    const agent = await agentWith(HANDLES_MAIL);
    await agent.control.send('busy', { ms: 4000 });
    await note(agent);
    await expect.poll(() => outcomes(agent), WAIT).toContain('busy_skip');
    expect(wakes(agent)).toBe(0);
    await expect.poll(() => wakes(agent), WAIT).toBe(1);
  });

  it('mail while a dialog is open waits, and not one key reaches the dialog', async () => {
    const agent = await agentWith(HANDLES_MAIL);
    await agent.control.send('open-dialog', { kind: 'permission' });
    await expect
      .poll(() => agent.client.tuiState().then((state) => state.surface.accepting_input), WAIT)
      .toBe('no');
    await note(agent);
    await expect
      .poll(() => agent.client.notifier().then((status) => status.held_back ?? ''), WAIT)
      .toMatch(/dialog/);
    await agent.control.send('close-dialog', {});
    await expect.poll(() => wakes(agent), WAIT).toBe(1);
    expect(fs.readFileSync(agent.transcript, 'utf8')).not.toContain('key_in_dialog');
  });

  it('mail that arrived while the notifier was disabled is announced when it is enabled again', async () => {
    const agent = await agentWith(HANDLES_MAIL);
    await agent.client.call('notifier.disable', {});
    await note(agent);
    expect((await agent.client.notifier()).enabled).toBe(false);
    await agent.client.call('notifier.enable', { body: { interval_seconds: 3600 } });
    await expect.poll(() => wakes(agent), WAIT).toBe(1);
  });

  it('mail that arrived while no gateway ran is announced after the next attach', async () => {
    const agent = await agentWith(HANDLES_MAIL);
    const target = await findTarget(world.context, { agentName: 'ana' });
    await detach(world.context, target);
    const binding = JSON.parse(fs.readFileSync(path.join(agent.facts.root, 'manifest.json'), 'utf8'))
      .launch_plan.mailbox;
    const { openMailStore } = await import('../../src/mail/index.ts');
    const store = openMailStore({ root: binding.filesystem_root });
    await store.mailbox(binding.address).post({ subject: 'meanwhile', body_content: 'do it' });
    await store.close();
    await attach(world.context, target, {});
    await expect.poll(() => wakes(agent), WAIT).toBe(1);
  });

  it('mail in a mailbox that cannot be read for a while is announced when it can be again', async () => {
    const agent = await agentWith(HANDLES_MAIL, { interval_seconds: 1 });
    const root = world.context.settings.mailboxDir;
    await note(agent);
    await expect.poll(() => wakes(agent), WAIT).toBe(1);
    // A new binding makes the gateway open the store again, while the store is away.
    const manifestFile = path.join(agent.facts.root, 'manifest.json');
    const manifest = JSON.parse(fs.readFileSync(manifestFile, 'utf8'));
    fs.renameSync(root, `${root}.away`);
    manifest.launch_plan.mailbox.bindings_version = '2030-01-01T00:00:00.000000Z';
    fs.writeFileSync(manifestFile, JSON.stringify(manifest));
    await expect.poll(() => agent.client.notifier().then((status) => status.last_error), WAIT).not.toBeNull();
    expect((await agent.client.notifier()).enabled).toBe(true);
    fs.renameSync(`${root}.away`, root);
    await expect
      .poll(
        () =>
          note(agent).then(
            () => true,
            () => false,
          ),
        WAIT,
      )
      .toBe(true);
    await expect.poll(() => wakes(agent), WAIT).toBeGreaterThanOrEqual(2);
  });

  it('mail does not reach a shell when the agent has died, and wakes the next process', async () => {
    const agent = await agentWith(HANDLES_MAIL, { interval_seconds: 1 });
    await agent.control.send('crash-to-shell', {}).catch(() => undefined);
    await expect
      .poll(() => agent.client.status().then((status) => status.managed_agent_connectivity), WAIT)
      .toBe('unavailable');
    await note(agent);
    await expect.poll(() => outcomes(agent), WAIT).toContain('busy_skip');
    expect(wakes(agent)).toBe(0);
    await relaunch(world.context, agent.facts);
    await expect.poll(() => wakes(agent), WAIT).toBe(1);
  });

  it('mail that was read no longer wakes in unread_only, and archived mail no longer wakes at all', async () => {
    const agent = await agentWith(IGNORES_MAIL, { interval_seconds: 1, mode: 'unread_only' });
    await note(agent);
    await expect.poll(() => wakes(agent), WAIT).toBeGreaterThanOrEqual(1);
    const [message] = (await agent.client.call('mail.list', { body: {} })).messages;
    await agent.client.call('mail.read', { body: { message_ref: message!.message_ref } });
    await expect.poll(async () => (await outcomes(agent))[0], WAIT).toBe('empty');
    await agent.client.call('notifier.enable', { body: { interval_seconds: 1, mode: 'any_inbox' } });
    await expect.poll(async () => (await outcomes(agent))[0], WAIT).toBe('enqueued');
    await agent.client.call('mail.archive', { body: { message_refs: [message!.message_ref] } });
    await expect.poll(async () => (await outcomes(agent))[0], WAIT).toBe('empty');
  });
});

describe('a gateway client', () => {
  it('a gateway client is refused by another process on the port of a gateway that has ended', async () => {
    const agent = await world.agent('ana', IGNORES_MAIL);
    const { gateway_port } = await agent.client.status();
    const target = await findTarget(world.context, { agentName: 'ana' });
    await detach(world.context, target);
    const gone = new GatewayClient({ host: '127.0.0.1', port: gateway_port! });
    await expect(gone.status()).rejects.toMatchObject({ code: 'unavailable' });
  });
});
