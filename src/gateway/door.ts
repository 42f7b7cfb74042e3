import { readFileSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { commandLine, invalid, randomHex, readIfExists, writeFileAtomic } from '../base/index.ts';
import { type Accounts, accountsFor, isLoopback } from '../http/index.ts';
import { VARIABLE } from '../wire/houmao/index.ts';
import { type WireMode, wireMode } from '../wire/index.ts';

export interface GatewayDoor {
  accounts: Accounts;
  /** Undefined: the kernel identifies every caller that may connect. */
  token: string | undefined;
  /** Whose fields its responses have. */
  wire: WireMode;
}

const SHORTEST_TOKEN = 16;

/**
 * Who may call a gateway, and with whose fields it responds. A caller needs a token beyond loopback, from accounts that
 * are allowed by name, and where the kernel cannot identify it. The token is in a file that only its owner can read,
 * created when first needed.
 */
export function gatewayDoor(
  gatewayRoot: string,
  { host, guests, env }: { host: string; guests: ReadonlySet<number>; env: NodeJS.ProcessEnv },
): GatewayDoor {
  const accounts = accountsFor(env, guests);
  const needsToken = !isLoopback(host) || guests.size > 0 || !accounts.areKnown;
  const file = env[VARIABLE.gatewayTokenFile] || path.join(gatewayRoot, 'token');
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
