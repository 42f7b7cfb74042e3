import { type Clock, type Log, messageOf, sleep } from '../../base/index.ts';
import type { FleetClient } from '../../client/index.ts';
import { type HandedCall, remoteRoute } from '../../wire/index.ts';
import { wireText } from './finished-turn.ts';

/** Calls one of the gateway's own routes from inside. */
export type AskOwn = (request: { method: string; path: string; body: unknown }) => Promise<{
  status: number;
  answer: unknown;
}>;

export interface CallDependencies {
  clock: Clock;
  log: Log;
  askOwn: AskOwn;
  /** Called before and after the call: who asked for what, and the status. */
  record: (facts: CallRecord) => void;
}

export interface CallRecord {
  call: string;
  caller: string;
  method: string;
  path: string;
  stage: 'taken' | 'answered';
  status?: number;
}

/** How long a response may be held until something happens; then the route is asked again without waiting. */
const MAX_HELD_MS = 20_000;
const PAUSES_MS = [0, 500, 2000, 5000];

/** Runs a remote call through the gateway's own routes and their checks, and sends the response. Never throws. */
export async function answerCall(
  deps: CallDependencies,
  call: HandedCall,
  client: FleetClient,
): Promise<void> {
  const { id, caller, method, path } = call;
  deps.record({ call: id, caller, method, path, stage: 'taken' });
  const { status, answer } = await outcomeOf(deps, call);
  deps.record({ call: id, caller, method, path, stage: 'answered', status });
  for (const pause of PAUSES_MS) {
    await sleep(deps.clock, pause);
    try {
      await client.call('registry.calls.answer', { call_id: id, body: { status, answer: storable(answer) } });
      return;
    } catch (error) {
      deps.log.warn('the response to a remote call could not be sent', { call: id, cause: messageOf(error) });
    }
  }
}

async function outcomeOf(
  { clock, askOwn }: CallDependencies,
  { method, path, body }: HandedCall,
): Promise<{ status: number; answer: unknown }> {
  const [bare = '', query = ''] = path.split('?', 2);
  if (!remoteRoute(method, bare)) return refused(403, `${method} ${bare} cannot be called from another host`);
  const ask = (path: string) => askOwn({ method, path, body });
  try {
    const words = query.split('&').filter(Boolean);
    const others = words.filter((word) => !/^wait(=|$)/.test(word));
    if (others.length === words.length) return await ask(path);
    const now = async () => {
      await sleep(clock, MAX_HELD_MS);
      return ask(others.length > 0 ? `${bare}?${others.join('&')}` : bare);
    };
    return await Promise.race([ask(path), now()]);
  } catch (error) {
    return refused(500, `the gateway could not do it: ${messageOf(error)}`);
  }
}

const refused = (status: number, detail: string) => ({ status, answer: { detail } });

/** The database of the server refuses NUL and half characters. */
function storable(answer: unknown): unknown {
  const text = JSON.stringify(answer ?? null, (_, value: unknown) =>
    typeof value === 'string' ? wireText(value) : value,
  );
  return JSON.parse(text);
}
