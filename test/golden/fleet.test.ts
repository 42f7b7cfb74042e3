import * as fs from 'node:fs';
import { openEmbedded } from '../../src/db/index.ts';
import { serverFiles } from '../../src/fleet/index.ts';
import { TEMPLATES } from '../support/fleet.ts';
import { longScene, type Stage } from './stage.ts';
import { play } from './support.ts';

/** Starts this home's server with its command, and stops it with the other one. */
async function withServer(stage: Stage, act: (port: string) => Promise<void>): Promise<void> {
  const { database } = serverFiles(stage.at('home'));
  await (await openEmbedded({ directory: database, templateDirectory: TEMPLATES })).close();
  await stage.both('server status');
  await stage.both('server stop');
  await stage.run('server init');
  await stage.run('server init --print-json');
  await stage.around(['server', 'start', '--port', '0'], async () => {
    const { port } = await stage.until(async () => {
      const found = await stage.look('server status');
      return found.ready ? found : undefined;
    });
    stage.env['ROUSE_FLEET_URL'] = `http://127.0.0.1:${port}`;
    await stage.show('server status');
    await act(String(port));
    await stage.run('server stop');
  });
}

longScene('fleet', async (stage) => {
  await stage.both('fleet list --fleet-url http://127.0.0.1:1');
  await withServer(stage, async () => {
    await stage.show('tokens list');
    const person = stage.at('ana.token');
    await stage.run(['tokens', 'create', '--kind', 'user', '--subject', 'ana', '--out-file', person]);
    const made = await stage.json('tokens create --kind user --subject ben --expires-in 90d');
    stage.call(made.token, 'token of ben');
    await stage.run('tokens create --kind admin --subject lead --org default');
    await stage.both('tokens create --kind agent');
    await stage.both('tokens create --kind user');
    await stage.show('tokens list');
    await stage.run(['tokens', 'revoke', made.id ?? made.token_id]);
    await stage.both(['tokens', 'revoke', made.id ?? made.token_id]);
    await stage.show('tokens list --all');
    await stage.show('fleet orgs');
    await stage.run('fleet orgs --create research');
    await stage.both('fleet orgs --create research');

    const bot = await play(stage, 'bot', ['--gateway-auto-attach', '--gateway-background']);
    await bot.ready();
    await stage.until(async () => (await stage.look('fleet list')).agents?.[0]?.state === 'idle');
    await stage.show('fleet list');
    await stage.show('fleet show bot');
    await stage.both('fleet show nobody');
    await stage.run('fleet register bot');
    await stage.both('fleet register nobody');
    await stage.run('fleet pause bot');
    await stage.run('fleet pause bot --print-json');

    const as = { env: { ROUSE_FLEET_TOKEN_FILE: person } };
    const asked = await stage.json(
      [
        'requests',
        'create',
        '--to-agent',
        'bot',
        '--title',
        'Review',
        '--detail',
        'Branch 2',
        '--idempotency-key',
        'k',
      ],
      as,
    );
    const id = stage.call(asked.request_id, 'review');
    await stage.run(
      [
        'requests',
        'create',
        '--to-agent',
        'bot',
        '--title',
        'Review',
        '--detail',
        'Branch 2',
        '--idempotency-key',
        'k',
      ],
      as,
    );
    await stage.both(
      ['requests', 'create', '--to-agent', 'bot', '--title', 'Other', '--idempotency-key', 'k'],
      as,
    );
    const approval = await stage.json(
      'requests create --to-anybody --kind approval --title Deploy? --priority 80',
      as,
    );
    const deploy = stage.call(approval.request_id, 'deploy');
    await stage.both('requests create --to-agent nobody --title x', as);
    await stage.both('requests create --title x', as);
    await stage.show('requests sent', as);
    await stage.show('requests pending', as);
    await stage.show('requests pending --kind approval --to agent', as);
    await stage.show('requests inbox', as);
    await stage.show(['requests', 'show', id], as);
    await stage.both('requests show 0198c0de-7a2b-7e11-9c3d-0123456789ab', as);
    await stage.both('requests show nonsense', as);
    await stage.run(['requests', 'message', id, '--body-content', 'hurry'], as);
    await stage.run(['requests', 'message', id, '--print-json'], { ...as, stdin: 'please' });
    await stage.both(['requests', 'respond', id, 'done'], as);
    await stage.run(['requests', 'respond', deploy, 'approved', '--note', 'go']);
    await stage.both(['requests', 'respond', deploy, 'rejected']);
    await stage.both(['requests', 'respond', deploy, 'nonsense']);
    await stage.run(['requests', 'cancel', id], as);
    await stage.both(['requests', 'cancel', id], as);
    await stage.show('requests sent --status closed', as);
    await stage.run('requests watch --after 0', { ...as, endWhen: (text) => text.split('\n').length > 4 });

    await stage.run('fleet resume bot');
    await stage.run('fleet remove bot');
    await stage.both('fleet show bot');
    fs.writeFileSync(stage.at('bad.token'), 'wrong', { mode: 0o600 });
    await stage.both(['fleet', 'list', '--fleet-token-file', stage.at('bad.token')]);
    await stage.both(['fleet', 'list', '--fleet-token-file', stage.at('missing.token')]);
    bot.control.close();
    await stage.run(['agents', 'stop', ...bot.words]);
  });
  await stage.both('fleet list');
});

longScene('server-owned', async (stage) => {
  await withServer(stage, async (port) => {
    delete stage.env['ROUSE_FLEET_URL'];
    const at = ['--pair-port', port];
    await stage.both(['agents', 'list', ...at]);
    await stage.run(['agents', 'launch', '--tool', 'scripted', '--agent-name', 'srv', ...at]);
    await stage.show(['agents', 'list', ...at]);
    const of = ['--agent-name', 'srv', ...at];
    await stage.show(['agents', 'show', ...of]);
    await stage.run(['agents', 'gateway', 'attach', ...of]);
    const status = () => stage.look(['agents', 'gateway', 'status', ...of]);
    await stage.until(async () => (await status()).terminal_surface_eligibility === 'ready');
    await stage.until(async () => (await status()).fleet?.state === 'connected');
    await stage.show(['agents', 'gateway', 'status', ...of]);
    await stage.run(['agents', 'gateway', 'prompt', ...of, '--prompt', 'hello']);
    await stage.until(async () => (await status()).terminal_surface_eligibility === 'ready');
    await stage.run(['agents', 'interrupt', ...of]);
    await stage.both(['agents', 'mail', 'status', ...of]);
    await stage.both(['agents', 'leave', ...of]);
    await stage.run(['agents', 'gateway', 'detach', ...of]);
    await stage.run(['agents', 'stop', ...of]);
    await stage.both(['agents', 'show', ...of]);
  });
});
