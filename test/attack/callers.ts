import * as fs from 'node:fs';
import * as path from 'node:path';
import { readAgentToken } from '../../src/client/index.ts';
import { FLEET_CALLERS, GATEWAY_CALLERS } from '../../src/wire/access-rules.ts';
import type { Seeded } from '../support/seeded.ts';
import { FETCHING } from './another-account.ts';
import { type Answer, ask, askPatiently, asOtherAccount, asProgram, type Call, GUEST_UID } from './call.ts';
import { type Target, targets } from './routes.ts';
import type { Stage } from './stage.ts';
import { secretsOf } from './tenants.ts';
import { inTurn } from './through-proxy.ts';
import type { Tries } from './tries.ts';

/** One caller at one row. Legitimate changes are not called. */
export interface Cell {
  caller: string;
  target: Target;
  call: Call;
  /** Allowed statuses; `admitted`: no refusal; `nothing of ours`: need not be refused, but must not reveal secrets of the home org. */
  expected: readonly number[] | 'admitted' | 'nothing of ours';
}

/** A proxy's header: with it the owner's account is a stranger, and only the token counts. */
const STRANGER = { via: '1.1 attack' };
/** Frequent guesses are slowed down. */
const GUESSED = [401, 429];

const gatewayColumn = (name: string): number => GATEWAY_CALLERS.findIndex(([known]) => known === name);
const fleetColumn = (name: string): number => FLEET_CALLERS.findIndex(([known]) => known === name);

/** The expectation of a column at a row; undefined: it may change something. */
function byTable({ outcomes, changes }: Target, column: number): Cell['expected'] | undefined {
  const outcome = outcomes[column]!;
  if (outcome !== 'yes') return outcome === 401 ? GUESSED : [outcome];
  return changes ? undefined : 'admitted';
}

function cellsOf(
  all: readonly Target[],
  {
    caller,
    token,
    headers,
  }: { caller: string; token?: string | undefined; headers?: Record<string, string> },
  expected: (target: Target) => Cell['expected'] | undefined,
): Cell[] {
  return all.flatMap((target) => {
    const statuses = expected(target);
    if (statuses === undefined) return [];
    const call = asProgram({ ...target, ...(headers && { headers }) }, token);
    return [{ caller, target, call, expected: statuses }];
  });
}

/** The owner's own programs, without a token: things of an org need one. */
export function ownerCells(stage: Stage): Cell[] {
  return cellsOf(targets(stage.ports, stage.to), { caller: 'owner' }, (each) => byTable(each, 0));
}

/** The agent's token at every row of both servers, and every token of the fleet server at every row of the gateway. */
export function tokenCells(stage: Stage): Cell[] {
  const all = targets(stage.ports, stage.to);
  const [gateway, fleet] = (['gateway', 'fleet'] as const).map((name) =>
    all.filter(({ server }) => server === name),
  ) as [Target[], Target[]];
  const mcp = { caller: 'MCP token', token: readAgentToken(stage.agent.facts.root) };
  const owners = { caller: "gateway's token at the fleet server", token: gatewayToken(stage) };
  return [
    ...cellsOf(gateway, { ...mcp, headers: STRANGER }, (each) => byTable(each, gatewayColumn('agent'))),
    ...cellsOf(fleet, mcp, () => GUESSED),
    ...cellsOf(fleet, owners, () => GUESSED),
    ...Object.values(stage.tokens).flatMap((token) =>
      cellsOf(gateway, { caller: "fleet server's tokens at the gateway", token, headers: STRANGER }, (each) =>
        byTable(each, gatewayColumn('bad')),
      ),
    ),
  ];
}

const gatewayToken = ({ agent }: Stage): string =>
  fs.readFileSync(path.join(agent.root, 'token'), 'utf8').trim();

const GRANTS = {
  'grant: launch': { gives: 'launch', as: 'user' },
  'grant: shutdown': { gives: 'shutdown', as: 'user' },
  "grant: another org's launch": { gives: 'launch', as: "other org's user" },
} as const;

/** A grant opens what it names, for agents of its own org; otherwise its token is that of any person. */
export function grantCells(stage: Stage): Cell[] {
  const fleet = targets(stage.ports, stage.to).filter(({ server }) => server === 'fleet');
  return Object.entries(GRANTS).flatMap(([caller, { gives, as }]) =>
    cellsOf(fleet, { caller, token: stage.tokens[caller] }, (target) => {
      const { id, route, outcomes, changes } = target;
      if (route.access === 'granted') {
        if (gives !== (id === 'agents.shutdown' ? 'shutdown' : 'launch')) return [403];
        return as !== 'user' && route.path.includes('{agent_ref}') ? [403, 404] : undefined;
      }
      // The user of that column sent the message; these are other people.
      if (route.access === 'message_parties' && as === 'user') return [403];
      const outcome = outcomes[fleetColumn(as)]!;
      if (outcome !== 'yes') return [outcome];
      if (changes) return undefined;
      return as === 'user' ? 'admitted' : 'nothing of ours';
    }),
  );
}

/** An account admitted by name, without a token and with tokens it might find. */
export function guestCells(stage: Stage): Cell[] {
  const all = targets(stage.ports, stage.to);
  const gateway = all.filter(({ server }) => server === 'gateway');
  const agent = readAgentToken(stage.agent.facts.root);
  return [
    ...cellsOf(all, { caller: 'guest account' }, (each) => byTable(each, 1)),
    ...cellsOf(gateway, { caller: "guest with the agent's token", token: agent }, (each) =>
      byTable(each, gatewayColumn('agent')),
    ),
    ...cellsOf(gateway, { caller: "guest with a user's token", token: stage.tokens['user'] }, (each) =>
      byTable(each, gatewayColumn('bad')),
    ),
  ];
}

function problem(
  stage: Stage,
  cell: Cell,
  { status, text }: Pick<Answer, 'status' | 'text'>,
): string | false {
  const { target, expected } = cell;
  const where = `${target.server} ${target.method} ${target.path} (${target.id}) by ${cell.caller}`;
  if (expected === 'nothing of ours') {
    const leaked = secretsOf(stage).filter((secret) => text.includes(secret));
    return leaked.length > 0 && `${where} leaks ${leaked.join(', ')}`;
  }
  const fine =
    expected === 'admitted' ? ![401, 403].includes(status) && status < 500 : expected.includes(status);
  return !fine && `${where}: ${status}, not ${String(expected)}`;
}

export interface Some {
  random: Seeded;
  max: number;
}

const chosen = (cells: Cell[], some?: Some): Cell[] =>
  some ? Array.from({ length: some.max }, () => some.random.pick(cells)) : cells;

/** Calls every cell, or some of them. Counts the tries of each caller. */
export async function walk(stage: Stage, tries: Tries, cells: Cell[], some?: Some): Promise<void> {
  await inTurn(chosen(cells, some), async (cell) => {
    const guesses = cell.expected === GUESSED;
    tries.add(cell.caller, problem(stage, cell, await (guesses ? ask : askPatiently)(cell.call)));
  });
}

/** The same by the account that was let in. */
export async function walkAsGuest(stage: Stage, tries: Tries, cells: Cell[], some?: Some): Promise<void> {
  const all = chosen(cells, some);
  const calls = all.map(({ call }) => call);
  const statuses = await asOtherAccount<number[]>(FETCHING, calls, GUEST_UID);
  for (const [n, cell] of all.entries())
    tries.add(cell.caller, problem(stage, cell, { status: statuses[n]!, text: '' }));
}
