import { ask, asProgram } from '../test/attack/call.ts';
import { type Target, targets } from '../test/attack/routes.ts';
import { ProbedServers } from './support/probed-servers.ts';
import { knownWorst, type Worst, worstOf } from './support/worst-bodies.ts';

const GOAL = 3;
/** The machine may be busy: a slow request is sent again, and the minimum counts. */
const AGAIN = 4;

/**
 * The worst bodies of every route that takes one: how long each stops the event loop of its server, compared with parsing
 * the slowest body of the maximum size. `npm run bench -- bodies [part of a route's id]`.
 */
export async function run(print: (line: string) => void, [only = '']: string[]): Promise<void> {
  const servers = await new ProbedServers().open();
  try {
    const parse = { gateway: await parsing(servers, 'gateway'), fleet: await parsing(servers, 'fleet') };
    print(
      `parsing the slowest body of 4 MB: gateway ${ms(parse.gateway)}, fleet server ${ms(parse.fleet)}; goal ${GOAL}×`,
    );
    let above = 0;
    let sent = 0;
    for (const target of targets(servers.ports, servers.to)) {
      const worst = worstFor(target).filter(() => `${target.server} ${target.id}`.includes(only));
      if (worst.length === 0) continue;
      const slowest = { stop: 0, what: '', status: 0 };
      for (const [what, make] of worst) {
        sent++;
        const tried = await stopOf(servers, target, make, parse[target.server]);
        if (tried.stop > slowest.stop) Object.assign(slowest, tried, { what });
      }
      await servers.clear();
      const ratio = slowest.stop / parse[target.server];
      if (ratio > GOAL) above++;
      const where = `${target.server} ${target.id}`.padEnd(48);
      print(
        `${ratio > GOAL ? '✗' : ' '} ${where} ${ratio.toFixed(2).padStart(6)}× ${ms(slowest.stop).padStart(9)}  ${slowest.status} ${slowest.what}  (${worst.length} bodies)`,
      );
    }
    print(`${sent} bodies, ${above} routes above ${GOAL}×`);
    if (above > 0) process.exitCode = 1;
  } finally {
    await servers.close();
  }
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;

async function parsing(servers: ProbedServers, server: Target['server']): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < 5; n++) took.push(await servers.probe(server, 'parse'));
  return Math.min(...took);
}

function worstFor(target: Target): Worst[] {
  const { body } = target.route;
  if (!body) return [];
  // The server passes bodies to a gateway unread, so those of one kind are enough.
  const made = worstOf(body, target.body);
  return [...(target.id.startsWith('agents.gateway.') ? made.slice(0, 2) : made), ...knownWorst(target)];
}

async function stopOf(
  servers: ProbedServers,
  target: Target,
  make: () => unknown,
  parse: number,
): Promise<{ stop: number; status: number }> {
  const body = JSON.stringify(make());
  const token = target.id.startsWith('registry.') ? servers.agentToken : servers.admin;
  const call = asProgram({ ...target, body }, target.server === 'fleet' ? token : undefined);
  let least = { stop: Number.POSITIVE_INFINITY, status: 0 };
  for (let n = 0; n < AGAIN && least.stop > 0.7 * GOAL * parse; n++) {
    await servers.probe(target.server);
    const { status } = await ask(call);
    const stop = await servers.probe(target.server);
    if (stop < least.stop) least = { stop, status };
    if (status !== 200) continue;
    await servers.clear();
  }
  return least;
}
