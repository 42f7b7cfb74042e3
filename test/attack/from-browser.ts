import type { Seeded } from '../support/seeded.ts';
import { askPatiently, asProgram, type Call } from './call.ts';
import { type Target, targets } from './routes.ts';
import type { Stage } from './stage.ts';
import { inTurn, isOpen } from './through-proxy.ts';
import type { Tries } from './tries.ts';

/** Headers of old and new browsers, for requests of the page itself, its scripts, or the address bar. */
const said = (port: number): readonly Readonly<Record<string, string>>[] => {
  const origin = `http://127.0.0.1:${port}`;
  const site = 'sec-fetch-site';
  return [
    { origin },
    { Origin: `http://localhost:${port}`, host: `localhost:${port}` },
    { [site]: 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { origin, [site]: 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { [site]: 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    { [site]: 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    { [site]: 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-user': '?1' },
    { [site]: '' },
    { 'Sec-Fetch-Dest': 'empty' },
    { 'sec-fetch-user': '?1' },
    { 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-storage-access': 'none' },
    { origin: '' },
  ];
};

const REFUSED = [401, 403, 415];

function* triesOf(target: Target): Generator<Call & { what: string }> {
  for (const headers of said(target.port)) {
    const what = `${target.server} ${target.method} ${target.id}: by ${JSON.stringify(headers)}`;
    yield { ...asProgram({ ...target, headers: { ...headers } }), what };
    if (target.method === 'POST')
      yield { ...target, body: undefined, headers: { ...headers }, what: `${what}, without a body` };
  }
}

/** Every route by a page of the server's own origin in the browser of the owner, without a session and without a token. */
export async function fromBrowser(
  stage: Stage,
  tries: Tries,
  kind: string,
  some?: { random: Seeded; max: number },
): Promise<void> {
  let all = targets(stage.ports, stage.to).flatMap((each) => (isOpen(each) ? [] : [...triesOf(each)]));
  if (some) all = Array.from({ length: some.max }, () => some.random.pick(all));
  await inTurn(all, async (each) => {
    const { status } = await askPatiently(each);
    tries.add(kind, !REFUSED.includes(status) && `${each.what}: ${status}`);
  });
}
