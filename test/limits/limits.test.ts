import { once } from 'node:events';
import * as fs from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS, type LimitName, setLimits } from '../../src/domain/index.ts';
import { type Answer, LimitedWorld, LOW } from './limited-world.ts';

const world = new LimitedWorld();
const ends: (() => void)[] = [];
beforeAll(async () => {
  await world.open();
}, 120_000);
afterAll(async () => {
  for (const end of ends) end();
  await world.close();
});

const NAMES = Object.keys(LIMITS) as LimitName[];
const stored = (page: string): string =>
  fs.readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');

describe.each(NAMES)('the limit %s', (name) => {
  const { variable, standard } = LIMITS[name];

  it('the limit is in the page of the environment with its number', () => {
    const line = stored('environment.md')
      .split('\n')
      .find((each) => each.startsWith(`| \`${variable}\` |`));
    expect(line).toContain(`Default ${standard}`);
  });

  it('the limit is in a document of the HTTP routes with its number and its variable', () => {
    const document = ['gateway', 'fleet'].map((server) => stored(`openapi/${server}.json`)).join();
    expect(document).toMatch(new RegExp(`At most ${standard} [^"\`]*; \`${variable}\` sets another limit`));
  });

  it('the limit is named on the page of what it limits', () => {
    const pages = fs
      .readdirSync(new URL('../../docs', import.meta.url))
      .filter((each) => each.endsWith('.md'));
    expect(pages.filter((page) => page !== 'environment.md' && stored(page).includes(variable))).not.toEqual(
      [],
    );
  });

  it('a limit takes no other number than a whole one above zero', () => {
    for (const given of ['0', '-1', '1.5', 'many', '1e400'])
      expect(() => setLimits({ [variable]: given })).toThrow(variable);
  });
});

interface Case {
  /** Fills up to the limit, if that takes more than one request. */
  prepare?: () => Promise<unknown>;
  /** One more than allowed. */
  over: () => Promise<Answer>;
  /** HTTP status, or exit code of a command. */
  status: number;
}

const letter = (more: object) => ({ to: ['ana@houmao.localhost'], subject: 's', body_content: 'b', ...more });
const reminders = (count: number) => ({
  reminders: Array.from({ length: count }, (_, ranking) => ({
    ...{ mode: 'one_off', title: 't', prompt: 'p', start_after_seconds: 3600 },
    ranking,
  })),
});
const prompt = (text: string) => ({ kind: 'submit_prompt', payload: { prompt: text } });
const times = async (count: number, work: (n: number) => Promise<unknown>): Promise<void> => {
  for (let n = 0; n < count; n++) await work(n);
};

async function followers(agentId: string, org: string, count: number): Promise<void> {
  const workspace = await world.register(agentId, org);
  await times(count, async () => {
    const { held, end, text } = await world.follow(workspace);
    ends.push(end);
    expect(held, text).toBe(true);
  });
}
const oneMore = async (agentId: string, org: string): Promise<Answer> =>
  world.follow(await world.register(agentId, org));

/** Each limit except those of connections, which has no message, and of automatic replies, which refuses nothing. What fills the queue is last. */
const CASES: Record<Exclude<LimitName, 'connections' | 'automaticReplies'>, Case[]> = {
  addressLength: [
    {
      over: () => world.post('/v1/mail/send', letter({ to: [`${'a'.repeat(30)}@houmao.localhost`] })),
      status: 422,
    },
  ],
  nameLength: [
    {
      over: () => world.ask('/registry/register', { agent_id: 'x', name: 'much-too-long', session_id: 's' }),
      status: 422,
    },
    {
      over: () => world.rouse('agents', 'launch', '--tool', 'scripted', '--agent-name', 'much-too-long'),
      status: 2,
    },
  ],
  recipients: [
    {
      over: () => world.post('/v1/mail/send', letter({ to: Array(4).fill('ana@houmao.localhost') })),
      status: 422,
    },
    {
      over: () =>
        world.rouse(
          ...['mail', 'send', '--address', 'ana@houmao.localhost', '--subject', 's', '--body-content', 'b'],
          ...Array.from({ length: 4 }, (_, n) => ['--to', `a${n}@houmao.localhost`]).flat(),
        ),
      status: 2,
    },
  ],
  attachments: [
    {
      over: () => world.post('/v1/mail/send', letter({ attachments: Array(3).fill({ path: '/etc/hosts' }) })),
      status: 422,
    },
  ],
  attachmentBytes: [
    {
      over: () =>
        world.ask('/mailbox/attachments', { sha256: '0'.repeat(64), part: 1, content_base64: 'eA==' }),
      status: 422,
    },
  ],
  localAttachmentBytes: [
    {
      over: () => world.post('/v1/mail/send', letter({ attachments: [{ path: process.execPath }] })),
      status: 422,
    },
    {
      over: () =>
        world.rouse(
          ...['mail', 'send', '--address', 'ana@houmao.localhost', '--to', 'ana@houmao.localhost'],
          ...['--subject', 's', '--body-content', 'b', '--attach-copy', process.execPath],
        ),
      status: 2,
    },
  ],
  bodyBytes: [
    { over: () => world.post('/v1/mail/send', letter({ body_content: 'x'.repeat(20_001) })), status: 413 },
    { over: () => world.ask('/registry/register', { agent_id: 'x'.repeat(20_001) }), status: 413 },
  ],
  typedBytes: [
    { over: () => world.post('/v1/requests', prompt('x'.repeat(10_001))), status: 422 },
    { over: () => world.post('/v1/control/prompt', { prompt: 'x'.repeat(10_001) }), status: 422 },
  ],
  keysLength: [
    { over: () => world.post('/v1/control/send-keys', { sequence: 'x'.repeat(51) }), status: 422 },
    {
      over: () =>
        world.post('/v1/reminders', {
          reminders: [
            {
              ...{ mode: 'one_off', title: 't', ranking: 0, start_after_seconds: 60 },
              send_keys: { sequence: 'x'.repeat(51) },
            },
          ],
        }),
      status: 422,
    },
  ],
  remindersPerBody: [{ over: () => world.post('/v1/reminders', reminders(5)), status: 422 }],
  liveReminders: [
    {
      prepare: () => world.post('/v1/reminders', reminders(3)),
      over: () => world.post('/v1/reminders', reminders(3)),
      status: 409,
    },
  ],
  queueBytes: [{ over: () => world.post('/v1/requests', prompt('x'.repeat(9001))), status: 503 }],
  queueRows: [
    {
      prepare: async () => {
        await world.occupy();
        await times(6, () => world.post('/v1/requests', prompt('next')));
      },
      over: () => world.post('/v1/requests', prompt('one more')),
      status: 503,
    },
  ],
  followersPerOrg: [
    { prepare: () => followers('one', 'here', 2), over: () => oneMore('one', 'here'), status: 200 },
  ],
  followers: [
    { prepare: () => followers('two', 'there', 1), over: () => oneMore('two', 'there'), status: 200 },
  ],
  agentsPerOrg: [
    {
      prepare: () => times(LOW.agentsPerOrg, (n) => world.register(`f${n}`, 'full')),
      over: () =>
        world.ask('/registry/register', { agent_id: 'one-more', name: 'more', session_id: 's', org: 'full' }),
      status: 409,
    },
  ],
  tokensPerOrg: [
    {
      prepare: () =>
        times(LOW.tokensPerOrg, (n) =>
          world.ask('/admin/tokens', { kind: 'user', subject: `u${n}`, org: 'full' }),
        ),
      over: () => world.ask('/admin/tokens', { kind: 'user', subject: 'more', org: 'full' }),
      status: 409,
    },
  ],
  badTokens: [
    {
      prepare: () => times(8, (n) => world.ask('/registry/agents', undefined, `rouse_${n}`)),
      over: () => world.ask('/registry/agents', undefined, 'rouse_x'),
      status: 429,
    },
  ],
  requestsPerSecond: [
    {
      over: async () => {
        // As many at once as allowed, plus those of one second, plus those of the time they take.
        for (let n = 0; n < 20 * LOW.requestsPerSecond; n++) {
          const answer = await world.ask('/registry/agents', undefined, null);
          if (answer.status === 429) return answer;
        }
        throw new Error('nobody was slowed down');
      },
      status: 429,
    },
  ],
};

describe.each(Object.keys(CASES) as (keyof typeof CASES)[])('beyond %s', (name) => {
  const { variable } = LIMITS[name];

  it.each(CASES[name].map((each, n) => [n + 1, each] as const))(
    'a program with another limit refuses with its number, its variable and what to do, and changes nothing (%i)',
    async (_, { prepare, over, status }) => {
      await prepare?.();
      const before = await world.state();
      const answer = await over();
      expect(answer).toMatchObject({ status, text: expect.stringContaining(variable) });
      expect(answer.text).toMatch(new RegExp(`\\b${LOW[name]}\\b`));
      expect(answer.text).toMatch(/, or raise ROUSE_MAX_/);
      expect(await world.state()).toEqual(before);
    },
  );
});

it.each(['gateway', 'fleet server'])('a %s closes one connection too many, and no other', async (which) => {
  const { port } = new URL(which === 'gateway' ? world.agent.base : world.fleetUrl);
  const sockets: Socket[] = [];
  const closed = await new Promise<number>((resolve) => {
    for (let n = 0; n <= LOW.connections; n++) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      socket.once('close', () => resolve(sockets.filter((each) => !each.closed).length));
      sockets.push(socket);
    }
  });
  expect(closed).toBeGreaterThan(0);
  expect(closed).toBeLessThanOrEqual(LOW.connections);
  for (const socket of sockets) {
    if (socket.closed) continue;
    socket.destroy();
    await once(socket, 'close');
  }
});
