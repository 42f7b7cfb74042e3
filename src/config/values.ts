import type { WakeValues } from '../domain/index.ts';

/** A value, and the file and line that set it. */
export interface Setting<T> {
  value: T;
  /** `/home/ana/.config/rouse/config.toml:3` */
  source: string;
  /** Set by a project's file, which must not allow anything. */
  byProject: boolean;
}

type SetWakes = { [Name in keyof Omit<WakeValues, 'quiet_hours'>]?: NonNullable<WakeValues[Name]> };

export interface WakePolicy extends SetWakes {
  /** Launch and join wake the agent for mail without being asked. */
  on?: boolean;
  /** `22:00-07:00` */
  quiet_hours?: string;
  time_zone?: string;
}

/** How a tool is started. A preset with the name of a tool applies to every launch of that tool. */
export interface Preset {
  tool?: string;
  args?: string[];
  role?: string;
  role_file?: string;
  home?: string;
  env?: Record<string, string>;
}

/** An agent of the team. */
export interface Member {
  /** A tool or a preset. */
  tool?: string;
  workdir?: string;
  headless?: boolean;
  wake?: boolean;
  mailbox?: string;
  address?: string;
  role?: string;
  role_file?: string;
}

/** The values of one file, under its keys. */
export interface FileValues {
  mailbox_root?: string;
  tmux_socket?: string;
  fleet?: string;
  fleets?: Record<string, { url?: string; token_file?: string }>;
  wake?: WakePolicy;
  tools?: Record<string, Preset>;
  team?: Record<string, Member>;
}
