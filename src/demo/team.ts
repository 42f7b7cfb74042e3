import * as fs from 'node:fs';
import * as path from 'node:path';
import { type Ending, systemClock } from '../base/index.ts';
import { GatewayClient } from '../client/index.ts';
import {
  launch,
  type ManifestFacts,
  readToken,
  type SessionContext,
  sessionPaths,
  stop,
} from '../session/index.ts';
import { isHoumaoVariable } from '../wire/houmao/index.ts';
import { endTmux, makePlace, tmuxSocketIn, watchOver } from './clear.ts';
import { type Fleet, startFleetServer } from './fleet.ts';

export interface Member {
  name: string;
  address: string;
  gateway: GatewayClient;
  facts: ManifestFacts;
}

export interface Team {
  directory: string;
  tmuxSocket: string;
  members: Member[];
  fleet: Fleet;
}

interface TeamOptions {
  names: readonly string[];
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  say: (text: string) => void;
}

/** How long a turn of each member takes; different, so that the view looks alive. */
const TURNS = ['900ms', '1600ms', '2500ms'];

/** Launches the team in a directory of its own. Everything that starts is added to `ending` at once. */
export async function launchTeam(options: TeamOptions, ending: Ending): Promise<Team> {
  const directory = makePlace();
  watchOver(directory, withoutPointers(options.env));
  ending.add(() => fs.rmSync(directory, { recursive: true, force: true }));
  const tmuxSocket = tmuxSocketIn(directory);
  ending.add(() => endTmux(tmuxSocket));
  options.say('starting the fleet server and its database');
  const fleet = await startFleetServer(directory, withoutPointers(options.env), ending);
  const context = contextOf(directory, tmuxSocket, { ...options, fleet });
  const members: Member[] = [];
  for (const [i, name] of options.names.entries()) {
    if (options.signal.aborted) break;
    options.say(`launching ${name}`);
    const report = await launch(context, {
      tool: 'scripted',
      agentName: name,
      cwd: directory,
      headless: false,
      args: ['--act-on-mail', '--turn', TURNS[i % TURNS.length]!, '--reply', 'Thank you, {subject} is done.'],
      autoAttach: { mode: 'detached_process' },
    });
    ending.add(() => stop(context, report.facts));
    if (report.attachError) throw report.attachError;
    const { gateway_host: host, gateway_port: port } = report.attached!.status;
    const gateway = new GatewayClient({
      host: host!,
      port: port!,
      token: readToken(sessionPaths(report.facts.root), context.env),
    });
    await gateway.call('notifier.enable', { body: { interval_seconds: 20, repeat: 'backoff' } });
    const { address } = await gateway.call('mail.status', {});
    members.push({ name, address, gateway, facts: report.facts });
  }
  return { directory, tmuxSocket, members, fleet };
}

function contextOf(
  directory: string,
  tmuxSocket: string,
  { env, signal, fleet }: TeamOptions & { fleet: Fleet },
): SessionContext {
  const at = (name: string): string => path.join(directory, name);
  return {
    settings: {
      // The server of this home looks for them here as well.
      runtimeDir: at('runtime'),
      mailboxDir: at('mailbox'),
      registryDir: at('registry'),
      tmuxSocket,
      fleet,
    },
    // The demo may run inside tmux or inside the session of an agent.
    env: { ...withoutPointers(env), ROUSE_HOME: directory },
    clock: systemClock,
    signal,
  };
}

function withoutPointers(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('TMUX') && !isHoumaoVariable(name)),
  );
}
