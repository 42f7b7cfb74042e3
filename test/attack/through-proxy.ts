import type { Seeded } from '../support/seeded.ts';
import { askPatiently, asProgram, type Call, exchangeRaw, raw } from './call.ts';
import { type Target, targets } from './routes.ts';
import type { Stage } from './stage.ts';
import type { Tries } from './tries.ts';

/** Headers that proxies add. Any of them, with any value or none, means that a stranger may be behind it. */
const ADDED: readonly Readonly<Record<string, string>>[] = [
  { forwarded: 'for=203.0.113.9;host=fleet.example;proto=https' },
  { Forwarded: '' },
  { 'x-forwarded-for': '203.0.113.9' },
  { 'X-FORWARDED-FOR': '127.0.0.1' },
  { 'x-forwarded-for': '' },
  { 'x-forwarded-for': '127.0.0.1, ::1' },
  { 'x-forwarded-host': 'localhost' },
  { 'x-forwarded-proto': 'https' },
  { 'X-Forwarded-Port': '443' },
  { 'x-forwarded-prefix': '/rouse' },
  { 'x-forwarded-user': 'root' },
  { 'x-forwarded': 'for=127.0.0.1' },
  { 'x-real-ip': '127.0.0.1' },
  { 'X-Real-IP': '' },
  { via: '1.1 proxy' },
  { VIA: '' },
];

/** Hosts by which a proxy may have been addressed and that it passes on. */
const hosts = (port: number): string[] => ['fleet.example', `fleet.example:${port}`, '203.0.113.9'];

const REFUSED = [401, 403];

/** The second caller of either table has no token and is not the owner: what it is refused, strangers are refused too. */
export const isOpen = ({ outcomes }: Target): boolean => outcomes[1] === 'yes';

interface Try {
  what: string;
  status(): Promise<number>;
}

function* triesOf(target: Target): Generator<Try> {
  const { port, method, id, server } = target;
  const what = (how: string): string => `${server} ${method} ${id}: ${how}`;
  const asked = async (call: Call): Promise<number> => (await askPatiently(asProgram(call))).status;
  for (const headers of ADDED)
    yield {
      what: what(`with ${JSON.stringify(headers)}`),
      status: () => asked({ ...target, headers: { ...headers } }),
    };
  for (const host of hosts(port))
    yield { what: what(`to Host "${host}"`), status: () => asked({ ...target, headers: { host } }) };
  for (const authority of [`127.0.0.1:${port}`, 'fleet.example'])
    yield {
      what: what(`to http://${authority}/`),
      status: () => asked({ ...target, path: `http://${authority}${target.path}` }),
    };
  yield { what: what('in HTTP/1.0'), status: () => inHttp10(asProgram(target)) };
}

/** How nginx calls its backend by default. */
async function inHttp10(call: Call): Promise<number> {
  for (;;) {
    const said = await exchangeRaw(call.port, raw(call).replace(' HTTP/1.1\r\n', ' HTTP/1.0\r\n'), 20_000);
    const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(said)?.[1] ?? 0);
    if (status !== 429) return status;
    await askPatiently({ ...call, method: 'GET', path: '/health', body: undefined });
  }
}

/** Every route by the owner's own account, through a proxy, without a token. */
export async function throughProxy(
  stage: Stage,
  tries: Tries,
  kind: string,
  some?: { random: Seeded; max: number },
): Promise<void> {
  let all = targets(stage.ports, stage.to).flatMap((each) => (isOpen(each) ? [] : [...triesOf(each)]));
  if (some) all = Array.from({ length: some.max }, () => some.random.pick(all));
  await inTurn(all, async ({ what, status }) => {
    const said = await status();
    tries.add(kind, !REFUSED.includes(said) && `${what}: ${said}`);
  });
}

/** A few at a time, because a flood would be another attack. */
export async function inTurn<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async (): Promise<void> => {
    for (let each = left.pop(); each; each = left.pop()) await work(each);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}
