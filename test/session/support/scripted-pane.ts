import * as path from 'node:path';
import { ROOT, type TestWorld } from '../../support/test-world.ts';

/** Where the pane is opened: in a session of its own, in a new window of one, or beside another pane. */
type Where = { session: string } | { window: string } | { beside: string };

/** A pane in which a person started the scripted agent; its id, once the agent shows something. */
export async function paneWith(
  world: TestWorld,
  name: string,
  { transcript, ...where }: Where & { transcript?: string },
): Promise<string> {
  const written = transcript === undefined ? '' : ` --transcript ${transcript}`;
  const tool = `exec ${process.execPath} ${path.join(ROOT, 'dist/scripted-agent.cjs')} --name ${name}${written}`;
  const pane = world.tmux(...commandFor(where as Where), '-dPF', '#{pane_id}', '-c', world.workdir, tool);
  await world.until(() => world.tmux('capture-pane', '-p', '-t', pane).trim() !== '');
  return pane;
}

function commandFor(where: Where): string[] {
  if ('session' in where) return ['new-session', '-s', where.session, '-x', '160', '-y', '60'];
  if ('window' in where) return ['new-window', '-t', `=${where.window}:`];
  return ['split-window', '-t', where.beside];
}
