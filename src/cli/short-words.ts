import { STATUS } from './agents/gateway.ts';
import join from './agents/join.ts';
import launch from './agents/launch.ts';
import { leave, stop } from './agents/stop.ts';
import type { Command } from './command.ts';
import { logs } from './ls/logs.ts';
import { ls } from './ls/ls.ts';
import { open } from './ls/open.ts';
import { send } from './mail/send.ts';

/** A short word is the same command under a shorter name. */
function short(path: string, command: Command, examples: string[]): Command {
  return { ...command, name: path.split(' ').at(-1)!, shortFor: path, daily: true, examples };
}

/** What people type every day. */
export const SHORT_WORDS: Command[] = [
  short('agents launch', launch, [
    'rouse launch claude ana',
    'rouse launch codex rev --workdir ~/src/app -- --model o5',
    'rouse launch command mine -- ./my-agent --flag',
  ]),
  short('agents join', join, ['rouse join ana   # inside the tmux session of a running tool']),
  { ...ls, daily: true },
  { ...send, daily: true },
  { ...open, daily: true },
  { ...logs, daily: true },
  short('agents gateway status', STATUS, ['rouse status ana', 'rouse status   # inside its session']),
  short('agents stop', stop, ['rouse stop ana']),
  short('agents leave', leave, ['rouse leave ana']),
];
