import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Ending, systemClock } from '../../src/base/index.ts';
import { runCli } from '../../src/cli/index.ts';
import { readSession } from '../../src/gateway/index.ts';
import { testGateway } from '../../src/gateway/testing.ts';
import { describeMailbox } from '../../src/mail/contract/mailbox.contract.ts';
import { bindMailbox, openMailbox } from '../../src/mail/index.ts';
import { registerTransport } from '../../src/mail/transports.ts';
import type { ManifestFacts } from '../../src/session/index.ts';
import { MemoryMail } from '../support/memory-mail/memory-mail.ts';
import { TestWorld } from '../support/test-world.ts';
import { toy } from './toy/transport.ts';

/** Only this line makes the transport known. */
let takeOff: () => void;
beforeAll(() => {
  takeOff = registerTransport(toy);
});
afterAll(() => takeOff());

let worlds = 0;

describeMailbox({
  name: 'a toy, opened by the factory',
  capabilities: new MemoryMail().register('a@x').mailbox('a@x').capabilities,
  async begin() {
    const place = `/nowhere/${++worlds}.toy`;
    const opened = async (name: string) => {
      const owner = { address: `${name}@houmao.localhost`, principal_id: name, bindings_version: '1' };
      const request = { place, ...owner, mode: 'safe', agentName: name, manifestPath: '/nowhere' } as const;
      const { binding } = await bindMailbox(request, { clock: systemClock });
      return (await openMailbox(binding, { clock: systemClock })).mailbox;
    };
    return {
      alice: await opened('alice'),
      bob: await opened('bob'),
      carol: await opened('carol'),
      settle: async () => {},
      anotherBob: () => opened('bob'),
      end: async () => {},
    };
  },
});

describe('an agent whose mailbox is kept by a toy', () => {
  const ending = new Ending();
  let world: TestWorld;
  let facts: ManifestFacts;
  let place: string;

  async function rouse(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
    let out = '';
    let err = '';
    const code = await runCli({
      argv,
      env: world.env,
      stdout: { write: (text) => void (out += text), isTTY: false },
      stderr: { write: (text) => void (err += text), isTTY: false },
      stdin: async () => '',
      stdinIsTty: true,
      signal: new AbortController().signal,
    });
    return { code, out, err };
  }

  async function plain(...argv: string[]): Promise<string> {
    const { code, out, err } = await rouse(...argv);
    expect([argv.join(' '), code, err]).toEqual([argv.join(' '), 0, '']);
    return out;
  }

  // biome-ignore lint/suspicious/noExplicitAny: output of every shape
  const json = async (...argv: string[]): Promise<any> => JSON.parse(await plain(...argv, '--print-json'));
  const bound = () => readSession(facts.root).manifest.launch_plan.mailbox;
  const OF_AGENT = ['--agent-name', 'tim'];
  const NOTE = ['--subject', 'note', '--body-content', 'x'];

  beforeAll(async () => {
    world = new TestWorld();
    place = path.join(world.directory, 'box.toy');
    facts = await world.launch('tim', { mailbox: { root: place } });
  });
  afterAll(async () => {
    await ending.run();
    await world.close();
  });

  it('an agent whose mailbox is kept by a toy has its binding in the manifest, and in the registry without what is not published', async () => {
    const binding = bound();
    expect(binding).toMatchObject({ transport: 'memory', toy_place: place, toy_secret: 'not shown' });
    const { toy_secret: _, ...published } = binding!;
    const records = fs
      .readdirSync(world.context.settings.registryDir, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('record.json'))
      .map((name) => path.join(world.context.settings.registryDir, name));
    expect(records.map((file) => JSON.parse(fs.readFileSync(file, 'utf8')).mailbox)).toEqual([published]);
  });

  it('an agent whose mailbox is kept by a toy uses it by its mail commands, which find it by agent and by path', async () => {
    expect(await plain('agents', 'mailbox', 'status', ...OF_AGENT)).toMatch(/^toy_place +\/.*box\.toy$/m);
    const { message } = await json('agents', 'mail', 'post', ...OF_AGENT, ...NOTE);
    const onPath = await json('mail', 'list', '--mailbox-root', place);
    expect(onPath.messages).toMatchObject([{ message_ref: message.message_ref, subject: 'note' }]);
    expect(await json('mail', 'status', '--mailbox-root', place, '--transport', 'memory')).toMatchObject({
      transport: 'memory',
      open_count: 1,
    });
    const sent = await plain(
      ...['agents', 'mail', 'send', ...OF_AGENT, '--to', 'HOUMAO-operator@houmao.localhost', ...NOTE],
    );
    expect(sent).toContain('"a toy train" carries it there');
    const live = await json('agents', 'mail', 'resolve-live', ...OF_AGENT);
    expect(live.mailbox).toMatchObject({ transport: 'memory', memory: { place } });
  });

  it('an agent whose mailbox is kept by a toy has it behind its gateway', async () => {
    const { call } = await testGateway(ending, {
      config: {
        mailboxBinding: bound,
        openMailbox: (binding) => openMailbox(binding, { clock: systemClock }),
      },
    });
    const status = await call('GET', '/v1/mail/status');
    expect(status).toMatchObject({ status: 200, body: { transport: 'memory', open_count: 1 } });
    const list = await call('POST', '/v1/mail/list', { schema_version: 1 });
    expect(list).toMatchObject({ status: 200, body: { messages: [{ subject: 'note' }] } });
  });

  it('an agent whose mailbox is kept by a toy loses it and gets it again', async () => {
    expect(await json('agents', 'mailbox', 'unregister', ...OF_AGENT, '--mode', 'purge')).toMatchObject({
      registered: false,
      removed: 'purge',
    });
    expect(bound()).toBeNull();
    const register = ['agents', 'mailbox', 'register', ...OF_AGENT, '--mailbox-root', place];
    expect(await json(...register)).toMatchObject({ mailbox: { transport: 'memory', toy_place: place } });
  });

  it('an agent whose mailbox is kept by a toy is refused by name once the transport is off the list', async () => {
    takeOff();
    const said = await rouse('agents', 'mail', 'list', ...OF_AGENT);
    takeOff = registerTransport(toy);
    expect(said.code).not.toBe(0);
    expect(said.err).toContain(
      'launch_plan.mailbox.transport must be one of "filesystem", "stalwart", "flatfile"',
    );
    expect(() => registerTransport(toy)).toThrow('there is already a mail transport "memory"');
  });
});
