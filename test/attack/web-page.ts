import type { Seeded } from '../support/seeded.ts';
import { ask, type Call } from './call.ts';
import { type Target, targets } from './routes.ts';
import type { Stage } from './stage.ts';
import type { Tries } from './tries.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Host names by which a foreign page may reach the port, and headers it may send. */
const names = (port: number): string[] => [
  'evil.example',
  `evil.example:${port}`,
  `localhost.evil.example:${port}`,
  `127.0.0.1.nip.io:${port}`,
  `127.0.0.1.:${port}`,
  `0.0.0.0:${port}`,
  `2130706433:${port}`,
  `127.1:${port}`,
  `[::ffff:127.0.0.1]:${port}`,
  `user@127.0.0.1:${port}`,
];
const origins = (port: number): string[] => [
  'http://evil.example',
  `http://evil.example:${port}`,
  'null',
  'file://',
  `https://127.0.0.1:${port}`,
  `http://localhost:${port}`,
  `http://127.0.0.1:${port + 1}`,
  'http://127.0.0.1',
  `http://127.0.0.1:${port}.evil.example`,
  'chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
];
const FORM_TYPES = [
  'text/plain',
  'text/plain;charset=UTF-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain; application/json',
  'application/jsonp',
  '',
];

type Try = Call & { refusals: readonly number[]; what: string };

function* triesOf(target: Target): Generator<Try> {
  const { port, body, id, method } = target;
  const host = `127.0.0.1:${port}`;
  const json = body === undefined ? {} : JSON_TYPE;
  const one = (what: string, headers: Record<string, string>, more: Partial<Try> = {}): Try => ({
    ...target,
    refusals: [400, 403],
    what: `${method} ${id}: ${what}`,
    ...more,
    headers: { host, ...headers },
  });
  for (const name of names(port)) {
    yield one(`Host ${name}`, { host: name, 'x-rouse': '1', ...json });
    yield one(`a page of Host ${name}`, { host: name, origin: `http://${name}`, 'x-rouse': '1', ...json });
  }
  for (const origin of origins(port)) {
    yield one(`Origin ${origin}`, { origin, 'x-rouse': '1', ...json });
    const asked = {
      'access-control-request-method': method,
      'access-control-request-headers': 'content-type',
    };
    yield one(
      `preflight of ${origin}`,
      { origin, ...asked },
      { method: 'OPTIONS', body: undefined, refusals: [403, 405] },
    );
  }
  for (const site of ['cross-site', 'same-site'])
    yield one(`Sec-Fetch-Site ${site}`, {
      'sec-fetch-site': site,
      'sec-fetch-mode': 'no-cors',
      'x-rouse': '1',
      ...json,
    });
  if (method === 'POST') {
    for (const type of FORM_TYPES) {
      // A browser so old that it sends no Origin.
      const old = { 'content-type': type, 'user-agent': 'Mozilla/5.0' };
      yield one(`a form of type "${type}"`, old, { refusals: [415] });
      yield one(`a form of type "${type}" of a page`, { 'content-type': type, origin: 'null' });
    }
    const fetched = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' };
    yield one('no body, no type', fetched, { body: undefined, refusals: [415] });
    yield one('no body, of a page', { origin: 'null' }, { body: undefined });
  }
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  yield one('a web socket', {
    ...upgrade,
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    origin: 'http://evil.example',
  });
}

/** Requests by a page in the owner's browser: from the owner's account, on loopback, but not made by the owner. */
export async function webPage(
  stage: Stage,
  tries: Tries,
  kind: string,
  some?: { random: Seeded; max: number },
): Promise<void> {
  let all = targets(stage.ports, stage.to).flatMap((each) => [...triesOf(each)]);
  if (some) all = Array.from({ length: some.max }, () => some.random.pick(all));
  const left = [...all];
  const worker = async (): Promise<void> => {
    for (let each = left.pop(); each; each = left.pop()) {
      const { status, headers } = await ask(each);
      const foreign = Object.keys(headers).find((name) => name.startsWith('access-control-'));
      const problem = foreign ? `the header ${foreign}` : !each.refusals.includes(status) && `${status}`;
      tries.add(kind, problem && `${each.what}: ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}
