import { invalid } from '../../base/index.ts';
import type { GatewayClient } from '../../client/index.ts';
import type { Reconciliation } from '../../wire/index.ts';
import { GATEWAY_TARGET_FLAGS } from '../agents/target.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { notBlank } from '../input/flag-values.ts';
import { dayAndTime } from '../print/local-time.ts';
import { table } from '../print/table.ts';
import { promptPreview } from './request-print.ts';
import { liveGateway } from './target.ts';

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const choice = choiceOf(input);
  const gateway = await liveGateway(input);
  const before = await gateway.call('reconciliation.get', {});
  if (choice === undefined) return { data: before, plain: undecidedText(before) };
  if ('all' in choice) return decidedOutput(await decideAll(gateway, before, choice.all));
  const after = await gateway.call('reconciliation.decide', { body: choice });
  return decidedOutput({ after, kept: choice.keep.length, discarded: choice.discard.length });
}

type Choice = { keep: string[]; discard: string[] } | { all: 'keep' | 'discard' };

/** Undefined: only show what is undecided. */
function choiceOf({ flags }: InputOf<typeof FLAGS>): Choice | undefined {
  const keep = flags.keep ?? [];
  const discard = flags.discard ?? [];
  const all = (['keep', 'discard'] as const).filter((each) => flags[`${each}All`]);
  const named = keep.length + discard.length > 0;
  if (all.length > 1 || (all.length === 1 && named)) {
    throw invalid('--keep-all and --discard-all cannot be combined with each other or with named requests', {
      hint: 'name requests one by one with --keep and --discard, or decide about all of them',
    });
  }
  const both = keep.find((id) => discard.includes(id));
  if (both !== undefined) throw invalid(`request ${both} cannot be kept and discarded`);
  if (all[0]) return { all: all[0] };
  return named ? { keep, discard } : undefined;
}

interface Decided {
  after: Reconciliation;
  kept: number;
  discarded: number;
}

/** Page by page: a gateway shows at most a thousand at a time. */
async function decideAll(
  gateway: GatewayClient,
  before: Reconciliation,
  all: 'keep' | 'discard',
): Promise<Decided> {
  let after = before;
  let count = 0;
  while (after.requests.length > 0) {
    const ids = after.requests.map((request) => request.request_id);
    count += ids.length;
    after = await gateway.call('reconciliation.decide', { body: { [all]: ids } });
  }
  return { after, kept: all === 'keep' ? count : 0, discarded: all === 'discard' ? count : 0 };
}

function decidedOutput({ after, kept, discarded }: Decided): Output {
  const left = after.requests.length;
  const parts = [
    kept > 0 && `${kept} kept for the present agent process`,
    discarded > 0 && `${discarded} discarded`,
  ].filter(Boolean);
  const end =
    left > 0
      ? `${left} still undecided; none runs, and no new one is accepted, until they are.`
      : 'Requests are open.';
  return { data: after, plain: `${parts.length ? `${parts.join(', ')}. ` : ''}${end}` };
}

function undecidedText({ requests, managed_agent_recovery: recovery }: Reconciliation): string {
  if (requests.length === 0) {
    return recovery === 'awaiting_rebind'
      ? 'The agent is not running; nothing can be decided until it is relaunched.'
      : 'Nothing to decide: no request is left over from an earlier agent process.';
  }
  const rows = table(requests, [
    { title: 'request_id', value: (r) => r.request_id },
    { title: 'accepted', value: (r) => dayAndTime(r.accepted_at_utc) },
    { title: 'kind', value: (r) => r.request_kind },
    { title: 'source', value: (r) => r.source },
    { title: 'epoch', value: (r) => r.managed_agent_instance_epoch, right: true },
    { title: 'prompt', value: (r) => promptPreview(r, 60) },
  ]);
  const accepted = requests.length === 1 ? '1 request was' : `${requests.length} requests were`;
  return [
    `${accepted} accepted for an earlier agent process. None is typed, and no new one is`,
    'accepted, until each is decided: --keep ID … or --discard ID …, or --keep-all, --discard-all.',
    '',
    rows,
  ].join('\n');
}

const FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  {
    name: 'keep',
    value: 'ID',
    summary: 'keep this request; it runs once all are decided',
    many: true,
    parse: notBlank,
  },
  { name: 'discard', value: 'ID', summary: 'discard this request', many: true, parse: notBlank },
  { name: 'keep-all', summary: 'keep all of them; they run now' },
  { name: 'discard-all', summary: 'discard all of them' },
] as const satisfies readonly Flag[];

const reconcile = command({
  name: 'reconcile',
  summary: 'decide about requests that were accepted for an earlier agent process',
  description:
    'A relaunched tool has lost its conversation, so requests accepted before are not typed into it by ' +
    'themselves. Without flags this command shows them. Requests you keep run in order once all are ' +
    'decided; discarded ones end as cancelled. None of them has been typed.',
  examples: [
    'rouse agents gateway reconcile --agent-name gpu   # look',
    'rouse agents gateway reconcile --agent-name gpu --keep gwreq-20260416-091402Z-0a1b2c3d --discard gwreq-20260416-091500Z-4e5f6071',
    'rouse agents gateway reconcile --agent-name gpu --discard-all',
  ],
  flags: FLAGS,
  run,
});

export default reconcile;
