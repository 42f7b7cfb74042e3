import type { Clock } from '../base/index.ts';

/** What every action of this room needs from outside. */
export interface SessionContext {
  settings: SessionSettings;
  /** The caller's environment: what a tool started for it inherits. */
  env: NodeJS.ProcessEnv;
  clock: Clock;
  signal?: AbortSignal | undefined;
  /** Says what is being waited for. */
  progress?: ((text: string) => void) | undefined;
  /** Command words of the gateway program, where it is not the one of this installation. */
  gatewayProgram?: string[] | undefined;
}

export interface SessionSettings {
  runtimeDir: string;
  mailboxDir: string;
  registryDir: string;
  /** A tmux socket name or path; undefined means tmux's own default. */
  tmuxSocket: string | undefined;
  /** The fleet server that agents register with at launch. */
  fleet?: { url: string; tokenFile: string; caFile?: string | undefined } | undefined;
}
