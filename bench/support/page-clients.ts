import type { PageCode, PageSession } from '../../src/wire/index.ts';

const JSON_BODY = { 'content-type': 'application/json' };

/** An address that opens the page once. */
export async function pageLink(origin: string): Promise<string> {
  return `${origin}/ui/#code=${await newCode(origin)}`;
}

async function newCode(origin: string): Promise<string> {
  const response = await fetch(`${origin}/ui/api/codes`, { method: 'POST', headers: JSON_BODY, body: '{}' });
  if (!response.ok) throw new Error(`no code: ${response.status}`);
  return ((await response.json()) as PageCode).code;
}

interface Received {
  bytes: number;
  events: number;
}

/** Opens sessions with one stream each. */
export async function openSessions(origin: string, count: number): Promise<{ close(): Promise<Received> }> {
  const ending = new AbortController();
  const received: Received = { bytes: 0, events: 0 };
  const listening: { end: Promise<void> }[] = [];
  for (let n = 0; n < count; n++) listening.push(await listen(origin, ending.signal, received));
  return {
    async close() {
      ending.abort();
      await Promise.allSettled(listening.map(({ end }) => end));
      return received;
    },
  };
}

/** Resolves when the stream has begun, with a promise of its end. */
async function listen(
  origin: string,
  signal: AbortSignal,
  received: Received,
): Promise<{ end: Promise<void> }> {
  const login = await fetch(`${origin}/ui/api/session`, {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify({ code: await newCode(origin) }),
  });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { csrf } = (await login.json()) as PageSession;
  const response = await fetch(`${origin}/ui/api/events`, {
    headers: { cookie, 'x-rouse-page': csrf },
    signal,
  });
  const reading = async (): Promise<void> => {
    for await (const chunk of response.body!) {
      received.bytes += chunk.length;
      received.events += Buffer.from(chunk).toString().split('event: change').length - 1;
    }
  };
  const end = reading();
  end.catch(() => undefined);
  return { end };
}
