import { ControlClient } from '../support/scripted-agent.ts';
import type { Stage } from './stage.ts';

export interface Played {
  /** The arguments that name it on a command line. */
  words: string[];
  /** Controls it: dialogs, busy turns. */
  control: ControlClient;
  /** Waits until its turn has ended. */
  idle(): Promise<unknown>;
  /** Waits until its gateway says that a prompt may be typed. */
  ready(): Promise<unknown>;
}

/** Launches a scripted agent with the command line; more arguments are placed before the tool's own. */
export async function play(stage: Stage, name: string, more: string[] = []): Promise<Played> {
  const socket = stage.at(`${name}.sock`);
  const facts = await stage.json([
    ...['agents', 'launch', '--tool', 'scripted', '--agent-name', name],
    ...more,
    ...['--', '--control', socket, '--turn', '200ms'],
  ]);
  stage.call(facts.tmux_session_name, `tmux session of ${name}`);
  stage.call(facts.session_id, `session of ${name}`);
  stage.call(facts.agent_id, `id of ${name}`);
  const words = ['--agent-name', name];
  const control = await ControlClient.connect(socket);
  return {
    words,
    control,
    idle: () =>
      stage.until(async () => ((await control.send('status')) as { state: string }).state === 'ready'),
    ready: () =>
      stage.until(async () => (await statusOf(stage, words)).terminal_surface_eligibility === 'ready'),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: output of every shape
async function statusOf(stage: Stage, words: string[]): Promise<any> {
  return stage.look(['agents', 'gateway', 'status', ...words]);
}
