import { FLEET_CALLERS } from '../../src/wire/access-rules.ts';
import type { Seeded } from '../support/seeded.ts';
import { ask, askPatiently, asProgram } from './call.ts';
import { type Target, targets } from './routes.ts';
import type { Stage } from './stage.ts';
import type { Tries } from './tries.ts';

const STRANGERS = ['bad', 'revoked', 'agent', 'other agent', 'user', 'admin', ...foreigners()];

function foreigners(): string[] {
  return FLEET_CALLERS.map(([name]) => name).filter((name) => name.startsWith("other org's"));
}

/** The agent `bea` is not the one in the terminal: there it is another agent of the org. */
export function columnOf(caller: string, { path }: Target): number {
  const name = caller === 'agent' && path.startsWith('/houmao/agents/') ? 'other agent' : caller;
  return FLEET_CALLERS.findIndex(([known]) => known === name);
}

/**
 * Every route of the fleet server, by every token that the access table refuses there, and the calls that another org may make:
 * those must reveal nothing about this org.
 */
export async function tenants(
  stage: Stage,
  tries: Tries,
  kinds: { refused: string; foreign: string },
  some?: { random: Seeded; max: number },
): Promise<void> {
  let all = targets(stage.ports, stage.to).filter(({ server }) => server === 'fleet');
  if (some) all = Array.from({ length: some.max }, () => some.random.pick(all));
  for (const target of all) {
    await Promise.all(
      STRANGERS.map(async (caller) => {
        const expected = target.outcomes[columnOf(caller, target)]!;
        const foreign = caller.startsWith("other org's");
        if (expected === 'yes' && (!foreign || target.changes)) return;
        const isGuess = caller === 'bad' || caller === 'revoked';
        // Calls beyond the rate limit wait; guesses do not get that far.
        const { status, text } = await (isGuess ? ask : askPatiently)(
          asProgram(target, stage.tokens[caller]),
        );
        const where = `${target.method} ${target.path} by ${caller}`;
        if (expected !== 'yes') {
          const guessed = status === 429 && isGuess;
          return tries.add(
            kinds.refused,
            status !== expected && !guessed && `${where}: ${status}, not ${expected}`,
          );
        }
        const leaked = secretsOf(stage).filter((secret) => text.includes(secret));
        tries.add(kinds.foreign, leaked.length > 0 && `${where} leaks ${leaked.join(', ')}`);
      }),
    );
  }
}

/** What another org must never read in a response. */
export function secretsOf({ to, agent }: Stage): string[] {
  return [
    to.workspace,
    to.request,
    to.queued,
    to.token,
    to.message,
    agent.facts.sessionId,
    'a secret of the owner',
  ];
}
