import { readFileSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { commandLine, invalid, randomHex, readIfExists, writeFileAtomic } from '../base/index.ts';
import { type Accounts, accountsFor, isLoopback } from '../http/index.ts';
import { type WireMode, wireMode } from '../wire/index.ts';

export interface GatewayDoor {
  accounts: Accounts;
  /** Undefined: the kernel vouches for everybody who may come in. */
  token: string | undefined;
  /** Whose fields its answers have. */
  wire: WireMode;
}

const SHORTEST_TOKEN = 16;

/**
 * Who may speak to a gateway, and in whose words. Beyond loopback, for accounts let in by name and where the kernel cannot be asked who
 * connects, a caller must show a token; it is in a file only its owner can read, which is made on first need.
 */
export function gatewayDoor(
  gatewayRoot: string,
  { host, guests, env }: { host: string; guests: ReadonlySet<number>; env: NodeJS.ProcessEnv },
): GatewayDoor {
  const accounts = accountsFor(env, guests);
  const needsToken = !isLoopback(host) || guests.size > 0 || !accounts.areKnown;
  const file = env['HOUMAO_GATEWAY_TOKEN_FILE'] || path.join(gatewayRoot, 'token');
  return { accounts, token: needsToken ? tokenIn(file) : undefined, wire: wireMode(env) };
}

function tokenIn(file: string): string {
  if (!readIfExists(file)?.trim()) writeFileAtomic(file, `${randomHex(32)}\n`, { mode: 0o600 });
  if ((statSync(file).mode & 0o077) !== 0)
    throw invalid(`${file} can be read by others; run "${commandLine`chmod 600 ${file}`}"`);
  const text = readFileSync(file, 'utf8').trim();
  if (text.length < SHORTEST_TOKEN)
    throw invalid(`the token in ${file} is shorter than ${SHORTEST_TOKEN} characters`);
  return text;
}
