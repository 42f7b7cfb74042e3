import { ControlClient } from '../support/scripted-agent.ts';
import { longScene } from './stage.ts';
import { play } from './support.ts';

longScene('agents-life', async (stage) => {
  const ana = await play(stage, 'ana');
  const of = ana.words;
  await stage.show('agents list');
  await stage.show(['agents', 'show', ...of]);
  await stage.show(['agents', 'gateway', 'status', ...of]);
  await stage.both(['agents', 'launch', '--tool', 'scripted', '--agent-name', 'ana']);
  await stage.both(['agents', 'launch', '--tool', 'no-such-program', '--agent-name', 'eve']);
  await stage.both(['agents', 'launch', '--tool', 'command', '--agent-name', 'eve']);
  await stage.both(['agents', 'launch', '--tool', 'scripted', '--agent-name', 'a b']);
  await stage.both(['agents', 'leave', ...of]);

  // Without a gateway, this command does the same itself.
  await stage.run(['agents', 'prompt', ...of, '--prompt', 'hello']);
  await ana.idle();
  await stage.run(['agents', 'send-keys', ...of, '--sequence', 'abc<[BSpace]>']);
  await stage.run(['agents', 'send-keys', ...of, '--sequence', '<[C-u]>', '--print-json']);
  await stage.both(['agents', 'send-keys', ...of, '--sequence', '<[F99]>']);
  await stage.both(['agents', 'prompt', ...of, '--prompt', '']);
  await ana.control.send('open-dialog', { kind: 'permission' });
  await stage.both(['agents', 'prompt', ...of, '--prompt', 'into a dialog']);
  await ana.control.send('close-dialog', {});
  await stage.run(['agents', 'interrupt', ...of]);
  for (const line of ['requests list', 'tui state', 'mail-notifier status', 'reminders list'])
    await stage.both(['agents', 'gateway', ...line.split(' '), ...of]);

  await stage.run(['agents', 'gateway', 'attach', ...of, '--background']);
  await stage.run(['agents', 'gateway', 'attach', ...of, '--print-json']);
  await ana.ready();
  await stage.show('agents list');
  await stage.show(['agents', 'show', ...of]);
  await stage.show(['agents', 'gateway', 'status', ...of]);
  await stage.both(['agents', 'gateway', 'attach', ...of, '--foreground', '--background']);
  await stage.run(['agents', 'gateway', 'detach', ...of]);
  await stage.run(['agents', 'gateway', 'detach', ...of, '--print-json']);
  await stage.run(['agents', 'gateway', 'attach', ...of, '--foreground', '--print-json']);
  ana.control.close();
  await stage.run(['agents', 'relaunch', ...of]);
  await stage.run(['agents', 'stop', ...of]);
  await stage.both(['agents', 'show', ...of]);
  await stage.both('agents list');
});

longScene('agents-join', async (stage) => {
  const agent = `exec ${process.execPath} ${new URL('../../dist/scripted-agent.cjs', import.meta.url).pathname} --control ${stage.at('j.sock')}`;
  stage.tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'mine', '-x', '100', '-y', '30', agent);
  const control = await ControlClient.connect(stage.at('j.sock'));
  const into = ['--agent-name', 'joe', '--target-tmux-session', 'mine'];
  await stage.both(['agents', 'join', '--agent-name', 'joe', '--target-tmux-session', 'nowhere']);
  await stage.both(['agents', 'join', ...into, '--provider', 'nonsense']);
  await stage.run(['agents', 'join', ...into, '--provider', 'scripted', '--no-mailbox']);
  await stage.both(['agents', 'join', ...into, '--provider', 'scripted']);
  await stage.show(['agents', 'show', '--agent-name', 'joe']);
  await stage.both(['agents', 'relaunch', '--agent-name', 'joe']);
  await stage.both(['agents', 'mail', 'status', '--agent-name', 'joe']);
  await stage.run(['agents', 'leave', '--agent-name', 'joe']);
  await stage.run(['agents', 'join', ...into, '--provider', 'scripted', '--print-json']);
  await stage.run(['agents', 'stop', '--agent-name', 'joe', '--print-json']);
  control.close();
});
