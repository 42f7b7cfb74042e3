import { spawn } from 'node:child_process';
import { commandLine, shellWords, unavailable } from '../base/index.ts';
import { relaunchCommand } from '../domain/index.ts';
import { isSameSocket } from '../tmux/index.ts';
import type { ManifestFacts } from './records/manifest-facts.ts';
import { serverOf, socketOfTmuxVariable } from './records/tmux-socket.ts';
import type { SessionContext } from './session-context.ts';
import { followSession } from './target/follow-session.ts';

export interface WayIn {
  session: string;
  socket: string;
  /** attach: from a plain terminal. switch: inside the same tmux server. replace: inside another, and back again afterwards. */
  how: 'attach' | 'switch' | 'replace';
  /** What brings this terminal there. */
  command: string[];
}

/** How the terminal this runs in gets to see an agent's session. */
export function wayInto(
  { env }: Pick<SessionContext, 'env'>,
  facts: Pick<ManifestFacts, 'tmuxSessionName' | 'tmuxSocket'>,
): WayIn {
  const socket = serverOf(facts, env);
  const session = facts.tmuxSessionName;
  const at = (server: string): string[] =>
    isSameSocket(server, serverOf({}, env)) ? ['tmux'] : ['tmux', '-S', server];
  const attach = [...at(socket), 'attach-session', '-t', `=${session}`];
  const own = socketOfTmuxVariable(env['TMUX']);
  if (own === undefined) return { session, socket, how: 'attach', command: attach };
  if (isSameSocket(own, socket))
    return { session, socket, how: 'switch', command: [...at(socket), 'switch-client', '-t', `=${session}`] };
  // tmux inside tmux is a trap; the client leaves its server for a while instead.
  const back = ['tmux', '-S', own, 'attach-session'];
  const there = `${typed(attach)}; exec ${typed(back)}`;
  return { session, socket, how: 'replace', command: ['tmux', '-S', own, 'detach-client', '-E', there] };
}

/** As a line to type. A word that begins with `=` is quoted: zsh would read it otherwise. */
export function wayInWords(
  context: Pick<SessionContext, 'env'>,
  facts: Parameters<typeof wayInto>[1],
): string {
  return lineOf(wayInto(context, facts));
}

export function lineOf({ command }: WayIn): string {
  return typed(command);
}

/** The same for a session that lives, as it is called now. */
export async function findWayInto(context: SessionContext, given: ManifestFacts): Promise<WayIn> {
  const { facts, lives } = await followSession(context, given);
  if (lives) return wayInto(context, facts);
  throw unavailable(`the tmux session of agent ${facts.agentName} is gone`, {
    hint: `"${relaunchCommand(facts.agentName)}" makes it again; "${commandLine`rouse stop ${facts.agentName}`}" forgets it`,
    facts: { cause: 'session_lost' },
  });
}

function typed(words: readonly string[]): string {
  return words.map((word) => (word.startsWith('=') ? `'${word}'` : shellWords([word]))).join(' ');
}

/** Gives this terminal to tmux until that is left; answers with its exit code. */
export function go({ command }: WayIn, env: NodeJS.ProcessEnv): Promise<number> {
  const [program = 'tmux', ...words] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: 'inherit', env });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
