import { execFile } from 'node:child_process';
import * as path from 'node:path';
import type { AgentHouse } from './agent-house.ts';

const BIN = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** The built command line, as somebody on the host of this house would run it: its home, its registry, its tmux, its fleet. */
export function houseCli(house: AgentHouse, args: string[]): Promise<Ran> {
  const { settings, env } = house.context;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [BIN, ...args],
      {
        env: {
          ...env,
          HOUMAO_GLOBAL_RUNTIME_DIR: settings.runtimeDir,
          HOUMAO_GLOBAL_MAILBOX_DIR: settings.mailboxDir,
          HOUMAO_GLOBAL_REGISTRY_DIR: settings.registryDir,
          ROUSE_TMUX_SOCKET: settings.tmuxSocket,
          ...(house.fleet && {
            ROUSE_FLEET_URL: house.fleet.url,
            ROUSE_FLEET_TOKEN_FILE: house.fleet.tokenFile,
          }),
        },
      },
      (error, out, err) => resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
    child.stdin?.end();
  });
}

/** The same, which must succeed, as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function houseJson(house: AgentHouse, args: string[]): Promise<any> {
  const { code, out, err } = await houseCli(house, [...args, '--print-json']);
  if (code !== 0) throw new Error(`rouse ${args.join(' ')} ended with ${code}: ${err}${out}`);
  return JSON.parse(out);
}
