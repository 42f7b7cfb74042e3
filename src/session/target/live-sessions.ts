import { isSameSocket } from '../../tmux/index.ts';
import type { RegistryRecord } from '../../wire/index.ts';
import { type ManifestFacts, tryManifestFacts } from '../records/manifest-facts.ts';
import { serverOf } from '../records/tmux-socket.ts';
import { type PointingSession, tmuxOf } from '../session-tmux.ts';

/** What a session is known by: its manifest, and where that says it is. */
export type Recorded = Pick<ManifestFacts, 'path' | 'tmuxSessionName' | 'tmuxSocket'>;

export function recordedOf({ runtime, terminal }: RegistryRecord): Recorded {
  return {
    path: runtime.manifest_path,
    tmuxSessionName: terminal.session_name,
    tmuxSocket: terminal.socket ?? undefined,
  };
}

/** Which tmux sessions live, with one question per tmux server. */
export class LiveSessions {
  readonly #env: NodeJS.ProcessEnv;
  readonly #known = new Map<string, Promise<PointingSession[]>>();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** What the agent's tmux session is called now; undefined when it has none, or none that can be told. */
  async nameOf(recorded: Recorded): Promise<string | undefined> {
    const names = ownSessions(recorded, await this.of(recorded), this.#env);
    return names.length === 1 ? names[0] : undefined;
  }

  /** Every session of the server this one is recorded on. */
  of(recorded: Recorded): Promise<PointingSession[]> {
    const server = serverOf(recorded, this.#env);
    let sessions = this.#known.get(server);
    if (!sessions) {
      sessions = tmuxOf({ env: this.#env }, recorded).sessions();
      this.#known.set(server, sessions);
    }
    return sessions;
  }
}

/**
 * The session of this manifest among those of its server. The one that points at the manifest is it, whatever a person
 * has called it since; one of the recorded name is it as long as it is not somebody else's. Several cannot be told apart.
 */
export function ownSessions(
  recorded: Recorded,
  sessions: readonly PointingSession[],
  env: NodeJS.ProcessEnv,
): string[] {
  const pointing = sessions.filter((session) => pointsAt(session, recorded.path));
  const named = sessions.find(({ name }) => name === recorded.tmuxSessionName);
  if (named && pointing.includes(named)) return [named.name];
  if (pointing.length > 0) return pointing.map(({ name }) => name);
  return named && !isOwned(named, recorded, env) ? [named.name] : [];
}

function pointsAt({ manifestPath, windows }: PointingSession, path: string): boolean {
  return manifestPath === path || windows.some((window) => window.manifestPath === path);
}

function isOwned(
  { name, manifestPath }: PointingSession,
  recorded: Recorded,
  env: NodeJS.ProcessEnv,
): boolean {
  const other = manifestPath === undefined ? undefined : tryManifestFacts(manifestPath);
  if (other?.tmuxSessionName !== name) return false;
  return isSameSocket(serverOf(other, env), serverOf(recorded, env));
}
