import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { at, TestRoot } from './world.testing.ts';

let root: TestRoot;
beforeEach(() => {
  root = new TestRoot('ann');
  for (const name of ['ana', 'ben', 'cai'])
    root.store.register({
      address: at(name),
      owner_principal_id: name,
      manifest_path_hint: `/agents/${name}/manifest.json`,
    });
});
afterEach(() => root.end());

const trail = async (name: string, ref: string, max = 20) =>
  (await root.mailbox(name).trail!(ref, max)).map(({ by }) => by);
const reply = async (name: string, message_ref: string) =>
  (await root.mailbox(name).reply({ message_ref, body_content: 'x' })).message.message_ref;

describe('the way back of a message', () => {
  it('the trail of a message is the replies of agents, without the first message', async () => {
    const { message } = await root.send('ana', 'ben', 'hello');
    expect(await trail('ben', message.message_ref)).toEqual([]);
    const second = await reply('ana', await reply('ben', message.message_ref));
    expect(await trail('ben', second)).toEqual(['agent', 'agent']);
  });

  it('the trail of a message ends at a person, or at the requested length', async () => {
    const { message } = await root.send('ann', 'ben', 'hello');
    expect(await trail('ben', message.message_ref)).toEqual(['person']);
    let ref = await reply('ben', message.message_ref);
    ref = await reply('ann', ref);
    expect(await trail('ben', ref)).toEqual(['person']);
    ref = await reply('ben', ref);
    expect(await trail('ann', ref)).toEqual(['agent', 'person']);
    expect(await trail('ann', ref, 1)).toEqual(['agent']);
  });

  it('the trail of a message counts the operator as a person', async () => {
    const { message } = await root.mailbox('ben').post({ subject: 'do', body_content: 'it' });
    expect(await trail('ben', message.message_ref)).toEqual(['person']);
  });
});
