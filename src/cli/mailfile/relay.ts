import { invalid } from '../../base/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { show, table } from '../print/table.ts';
import { flatfile, holding, TIMEOUT } from './input.ts';

async function relay(input: InputOf<typeof RELAY_FLAGS>): Promise<Output> {
  const { relayFlatFiles, HUB_ADDRESSES } = await flatfile();
  const { directory = [], route = [], hub, by, dryRun } = input.flags;
  const routes = route.map((text) => {
    const at = text.indexOf('=');
    if (at < 1 || at === text.length - 1)
      throw invalid(`--route must be ADDRESS=DIRECTORY, not ${show(text)}`);
    return { directory: text.slice(at + 1), addresses: [text.slice(0, at)] };
  });
  const hubs = hub === undefined ? [] : [{ directory: String(hub), addresses: HUB_ADDRESSES }];
  const all = [...directory.map((each) => ({ directory: each })), ...routes, ...hubs];
  if (all.length === 0)
    throw invalid('--directory is missing: relay carries mail only between named directories');
  input.progress('relaying');
  const items = await relayFlatFiles(all, {
    ...holding(input),
    by: by === undefined ? undefined : String(by),
    dryRun: dryRun !== undefined,
  });
  const stuck = items.some(({ outcome }) => outcome === 'waiting');
  const plain = table(items, [
    { title: 'outcome', value: (row) => row.outcome },
    { title: 'from', value: (row) => row.from },
    { title: 'to', value: (row) => row.to, max: 40 },
    { title: 'msg-id', value: (row) => row.msg_id },
    { title: 'reason', value: (row) => row.reason },
  ]);
  return {
    data: { messages: items },
    plain: items.length === 0 ? 'nothing to relay' : plain,
    exitCode: stuck ? 7 : 0,
  };
}

const RELAY_FLAGS = [
  { name: 'directory', value: 'dir', summary: 'a directory containing .agent', many: true },
  { name: 'hub', value: 'dir', summary: 'the directory of command@claude-code' },
  { name: 'route', value: 'address=dir', summary: 'an additional address and its directory', many: true },
  { name: 'by', value: 'name', summary: 'written into relayed-by' },
  { name: 'dry-run', summary: 'show what would happen without doing it' },
  TIMEOUT,
] as const satisfies readonly Flag[];

export const mailfileRelay = command({
  name: 'relay',
  summary: 'carry pending outbox messages into the inboxes of the given directories',
  description:
    'For each directory, takes the pending messages of .agent/outbox.md and puts each into the .agent/inbox.md of ' +
    'the directory it is addressed to (totebox@NAME, task@NAME or NAME, and the addresses of --hub and --route), keeping ' +
    'its msg-id; then marks it dispatched. A message to an unknown directory is marked undeliverable with the reason, and its ' +
    'sender gets a notice. Nothing outside the given directories is read or written.',
  examples: [
    'rouse mailfile relay --hub ~/work --directory ~/work/clones/app --directory ~/work/clones/docs',
    'rouse mailfile relay --directory a --directory b --dry-run',
  ],
  flags: RELAY_FLAGS,
  run: relay,
});
