import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newMessageId } from '../../src/domain/index.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';

/** Which mailbox an agent's token opens, and where the mail of a removed agent is. */
let fleet: TestFleet;
beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(() => fleet.stop());

let made = 0;
const bind = (client: TestFleet['user'], body: object = {}) => client.call('mailbox.bind', { body });
const agent = (name: string) => fleet.agent(`${name}-id-${++made}`, { name });
const letter = (to: string, subject: string) => ({
  body: { message_id: newMessageId(new Date()), to: [to], subject, body_content: 'x' },
});
const subjects = async (client: TestFleet['user']) =>
  (await client.call('mailbox.list', { body: {} })).messages.map(({ subject }) => subject);

describe("an agent's token", () => {
  it("an agent's token binds the address and the principal of its own name, and nothing else", async () => {
    const { client } = await agent('eve');
    const victim = await agent('victim');
    for (const [body, code] of [
      [{ principal_id: 'HOUMAO-operator' }, 'forbidden'],
      [{ principal_id: 'HOUMAO-victim' }, 'forbidden'],
      [{ address: 'victim@default.fleet' }, 'forbidden'],
      [{ address: 'nobody-yet@default.fleet' }, 'forbidden'],
      [{ address: 'EVE@default.fleet' }, 'forbidden'],
      [{ role: 'system_operator' }, 'forbidden'],
    ] as const)
      await expect(bind(client, body), JSON.stringify(body)).rejects.toMatchObject({ code });
    const bound = await bind(client, { display_name: 'Houmao Operator' });
    expect(bound).toMatchObject({ address: 'eve@default.fleet', principal_id: 'HOUMAO-eve', reused: false });
    await bind(victim.client);
    await client.call('mailbox.send', letter('victim', 'from eve'));
    const [got] = (await victim.client.call('mailbox.list', { body: {} })).messages;
    expect(got!.sender).toMatchObject({ display_name: 'eve', principal_id: 'HOUMAO-eve' });
    const again = await bind(client, { address: 'eve@Default.FLEET', principal_id: 'HOUMAO-eve' });
    expect(again).toMatchObject({ address: 'eve@default.fleet', reused: true });
  });

  it("an agent's token is not that of the operator or of another agent by a name that leads to their principal", async () => {
    const twin = await agent('twin');
    await bind(twin.client);
    for (const name of ['operator', 'OPERATOR', 'HOUMAO-Operator', 'HOUMAO-operator', 'HOUMAO-twin']) {
      const { client } = await agent(name);
      await expect(bind(client), name).rejects.toMatchObject({
        code: 'conflict',
        facts: { cause: 'principal_taken' },
      });
    }
    const before = await agent('HOUMAO-later');
    await bind(before.client);
    await expect(bind((await agent('later')).client)).rejects.toMatchObject({ code: 'conflict' });
  });

  it("an agent's token does not take the name of another agent by registering again", async () => {
    const { client, agentId } = await agent('mallory');
    await expect(
      client.call('registry.register', { body: { agent_id: agentId, name: 'victim', session_id: 's' } }),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('the mail of a removed agent', () => {
  const removed = async (name: string) => {
    const { client, workspaceId } = await agent(name);
    await bind(client);
    const writer = await agent(`writer-${made}`);
    await bind(writer.client);
    await writer.client.call('mailbox.send', letter(name, `secret of ${name}`));
    await fleet.orgAdmin.call('registry.agents.remove', { agent_ref: workspaceId });
    return workspaceId;
  };

  it('the mail of a removed agent is not in the mailbox of a new agent of that name, and no one can write to it', async () => {
    await removed('carl');
    await expect(fleet.user.call('mailbox.send', letter('carl', 'too late'))).rejects.toMatchObject({
      code: 'not_found',
    });
    const { client } = await agent('carl');
    expect(await bind(client)).toMatchObject({ address: 'carl@default.fleet', reused: false });
    expect(await subjects(client)).toEqual([]);
    await fleet.user.call('mailbox.send', letter('carl', 'for the new one'));
    expect(await subjects(client)).toEqual(['for the new one']);
  });

  it("the mail of a removed agent is handed over by the org's administrator alone, to an agent of the org or to its people", async () => {
    await removed('dora');
    const { client } = await agent('dora');
    await bind(client);
    const { mailboxes } = await fleet.orgAdmin.call('admin.mailboxes.list', {});
    const [left] = mailboxes.filter(({ address }) => address === 'dora@default.fleet');
    expect(left).toMatchObject({ message_count: 1 });
    const asked = { mailbox_id: left!.mailbox_id, body: { to_agent: 'dora' } };
    const away = await fleet.tenant('away');
    for (const [caller, code] of [
      [client, 'forbidden'],
      [fleet.user, 'forbidden'],
      [away.admin, 'not_found'],
    ] as const)
      await expect(caller.call('admin.mailboxes.handOver', asked)).rejects.toMatchObject({ code });
    expect((await away.admin.call('admin.mailboxes.list', {})).mailboxes).toEqual([]);
    expect(await fleet.orgAdmin.call('admin.mailboxes.handOver', asked)).toMatchObject({
      handed_over: 1,
      address: 'dora@default.fleet',
    });
    expect(await subjects(client)).toEqual(['secret of dora']);
    await expect(fleet.orgAdmin.call('admin.mailboxes.handOver', asked)).rejects.toMatchObject({
      code: 'not_found',
    });
    await removed('emil');
    const [other] = (await fleet.orgAdmin.call('admin.mailboxes.list', {})).mailboxes.filter(
      ({ address }) => address === 'emil@default.fleet',
    );
    await fleet.orgAdmin.call('admin.mailboxes.handOver', { mailbox_id: other!.mailbox_id, body: {} });
    expect(await subjects(fleet.orgAdmin)).toContain('secret of emil');
  });
});
