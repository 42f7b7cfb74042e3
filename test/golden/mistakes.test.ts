import * as fs from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { scene } from './stage.ts';
import { play } from './support.ts';

/** Mistakes of the first hour. Every message names the thing and the next step; nothing is changed. */
const MISTAKES = `
lunch claude ana
launhc claude ana
list
ps
ana
show ana
attach ana
kill ana
agents
agents lst
agents lauch
agents gateway atach
agents gateway notifier
mail sned
help nonsense
help agents nonsense
launch
launch claude
launch no-such-tool bob
launch scripted ana
launch scripted bob --workdir /no/such/directory
launch scripted bob --role-prompt-file /no/such/file
launch scripted bob --gateway-port 70000
launch scripted bob --gateway-port x
launch scripted bob --wake --no-mailbox
launch scripted bob --gateway-port 0
launch scripted bob --mailbox-address nonsense
launch scripted bob --mailbox-root /no/such/place/inbox.md
launch scripted a:b
launch command bob
launch scripted bob --session-name a.b
launch scripted bob --nonsense
launch scripted bob --pair-port 1
join
join bob
join bob --target-tmux-session nowhere
join bob --target-tmux-session a:0
join bob --target-tmux-session mine
ls ana
ls --wathc
ls --print-xml
open
open nobody
open anna
open ana
open ana ben
logs
logs nobody
logs ana
logs ana -n 0
logs ana -n many
logs ana --tail
send
send ana
send ana subject
send nobody subject --body text
send an subject --body text
send nobody@nowhere.example subject --body text
send ana subject --body text --body-file x
send ana subject --body-file /no/such/file
send ana subject more words
send ana subject --body text --from nobody
send ana subject --body text --attach /no/such/file
status
status nobody
status ana ben
status --agent-id ana
status ana --agent-id x
status --target-tmux-session nowhere
status --current-session
status ana --name ana
status ana --json --nonsense
stop
stop nobody
stop anna
stop --pair-port 1
leave ana
why
why nobody
why ana
why ana --at yesterday
why ana --limit 0
agents show
agents show ana ben
agents relaunch
agents prompt ana --prompt
agents prompt ana
agents gateway prompt ana --prompt hello
agents gateway requests list ana
agents gateway mail-notifier enable ana
agents gateway mail-notifier enable ana --interval-seconds soon
agents gateway reminders list nobody
agents gateway tui state ana
agents mail send ana --to nobody --subject s --body-content b
agents mail read ana --message-ref nonsense
agents mail list ana --read-state maybe
mail list --address nobody@houmao.localhost
mail list --mailbox-root relative
mailfile list
mailfile show --mailbox /no/such/inbox.md x
skills install --tool emacs
mcp install
tokens list
fleet list
requests show
server status --json
version please
completion tcsh
`;

scene('mistakes', async (stage) => {
  await play(stage, 'ana');
  stage.tmux('new-session', '-d', '-s', 'mine', 'exec sleep 600');
  for (const line of MISTAKES.trim().split('\n')) await stage.run(line);
  await stage.run('ls --json --watch please');
  await stage.run('status gone --json');

  // The environment can be wrong, too.
  await stage.run('ls', { env: { ROUSE_HOME: 'relative' } });
  await stage.run('ls', { env: { HOUMAO_CLI_PRINT_STYLE: 'yaml' } });
  fs.writeFileSync(stage.at('file'), 'not a directory');
  await stage.run('ls', { env: { ROUSE_HOME: stage.at('file') } });
  await stage.run('launch scripted bob', { env: { ROUSE_TMUX_SOCKET: '/no/such/directory/socket' } });
  await stage.run('launch scripted bob', { env: { PATH: stage.at('nowhere') } });
  const other = http.createServer((_, answer) => answer.writeHead(404).end('<html>not here</html>'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  stage.call(url, 'url of another program');
  stage.call(url.replace('http://', ''), 'another program');
  fs.writeFileSync(stage.at('token'), 'abc', { mode: 0o600 });
  const fleet = { ROUSE_FLEET_URL: url, ROUSE_FLEET_TOKEN_FILE: stage.at('token') };
  await stage.run('fleet list', { env: fleet });
  await stage.run('fleet list', { env: { ...fleet, ROUSE_FLEET_URL: 'nonsense' } });
  fs.chmodSync(stage.at('token'), 0o644);
  await stage.run('fleet list', { env: fleet });
  other.close();

  // A stopped agent is not forgotten.
  await stage.run('stop ana');
  for (const line of [
    'stop ana',
    'open ana',
    'status ana',
    'why ana',
    'logs ana',
    'agents relaunch ana',
    'send ana s --body b',
  ])
    await stage.run(line);
});
