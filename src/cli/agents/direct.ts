import {
  type AdmissionPolicy,
  DELIVERY_OUTCOMES,
  reasonInWords,
  reasonTexts,
  whyText,
} from '../../domain/index.ts';
import type { DeliveryResult, DirectAct, FleetTarget, Target } from '../../session/index.ts';
import { CODES } from '../../wire/codes.ts';
import { type Command, command, type Input, type InputOf, type Output } from '../command.ts';
import { execution, PROMPT, policyGiven, SEND_KEYS } from '../gateway/prompt.ts';
import { type Refusal, reportRefused } from '../gateway/refused.ts';
import { INTERRUPT } from '../gateway/requests.ts';
import { gatewayOf, reachable } from '../gateway/target.ts';
import { promptText } from '../gateway/text.ts';
import { exitCodeOfOutcome } from '../print/outcome-exit.ts';
import { severalAgents } from './several-agents.ts';
import { sessionContext, type TargetInput } from './target.ts';

/**
 * The commands that act on an agent with or without a gateway. A live gateway does the work, so that its queue and
 * ledger record it; without one, this process opens the same surface and holds the same lane.
 */
interface DirectCommand<I> {
  by: Command;
  detail: string;
  policyOf?: (input: I) => AdmissionPolicy;
  actOf: (input: I) => Promise<DirectAct>;
}

function withOrWithoutGateway<I extends TargetInput>(
  way: DirectCommand<I>,
): (input: I) => Promise<Output | undefined | void> {
  return async (input) => {
    const target = await reachable(input);
    if (target.kind === 'remote') return way.by.run!(input);
    if (target.kind === 'fleet') return behindFleet(input, target, way);
    if (typeof (await gatewayOf(input, target)) !== 'string') return way.by.run!(input);
    return directly(input, target, await way.actOf(input), way.detail);
  };
}

/** Uses the agent's gateway, or its server for what a server does without a gateway. */
async function behindFleet<I extends TargetInput>(
  input: I,
  target: FleetTarget,
  { by, policyOf, actOf }: DirectCommand<I>,
): Promise<Output> {
  const { gatewayStatus, fleetActions } = await import('../../session/index.ts');
  const { status } = await gatewayStatus(sessionContext(input), target);
  const policy = policyOf?.(input) ?? 'ready_only';
  if (status.gateway_health === 'healthy' || by === SEND_KEYS || policy !== 'ready_only')
    return (await by.run!(input)) as Output;
  const act = await actOf(input);
  const { requestAtFleet } = await fleetActions();
  const data = await requestAtFleet(
    target,
    act.kind === 'prompt'
      ? { request_kind: 'submit_prompt', prompt: act.text }
      : { request_kind: 'interrupt' },
  );
  return { data, plain: `${data.detail}.` };
}

async function directly(
  input: Input,
  target: Extract<Target, { kind: 'local' }>,
  act: DirectAct,
  detail: string,
): Promise<Output> {
  const { controlDirectly } = await import('../../session/index.ts');
  const result = await controlDirectly(sessionContext(input), target.facts, act);
  if (result.outcome !== 'submitted') return refused(input, act, result);
  const data = { status: 'ok', action: ACTIONS[act.kind], ...delivered(result) };
  const turn = turnOf(act, result);
  const ended = turn === undefined ? [] : [`the turn has ended; its files are in ${turn}`];
  return { data, plain: [detail, ...reasonTexts(result.reasons), ...ended].join('; ').concat('.') };
}

/** Where the files of a finished headless turn are. */
function turnOf({ kind }: DirectAct, { evidence }: DeliveryResult): string | undefined {
  const last = evidence.at(-1)?.facts;
  return kind === 'prompt' && last?.['exit_code'] !== undefined ? String(last['artefacts']) : undefined;
}

const ACTIONS: Record<DirectAct['kind'], string> = {
  prompt: 'submit_prompt',
  interrupt: 'interrupt',
  send_keys: 'control_input',
};

/** Refuses as a gateway does: on standard error, with an exit code. */
function refused(input: Input, act: DirectAct, result: DeliveryResult): Output {
  // A turn that failed or was interrupted did receive its prompt.
  const sent = turnOf(act, result) !== undefined;
  const facts = { status: 'error', action: ACTIONS[act.kind], sent, ...delivered(result) };
  const { outcome, reasons } = result;
  reportRefused(
    input,
    { ...facts, error_code: outcome, detail: whyText(reasons, '; ') ?? '' },
    refusalOf(act, result),
  );
  const { later, ends } = DELIVERY_OUTCOMES[outcome];
  const exitCode = later ? CODES.not_ready.exit : exitCodeOfOutcome(ends);
  return { data: undefined, exitCode: exitCode ?? CODES.internal.exit };
}

function refusalOf(act: DirectAct, result: DeliveryResult): Refusal {
  const { outcome, reasons, untouched } = result;
  const why = reasonInWords(whyText(reasons, '; ') ?? '');
  if (outcome === 'not_ready') return { message: `${NOT_DONE[act.kind]}: ${why}`, hint: LATER };
  const turn = turnOf(act, result);
  const look = untouched ? 'nothing reached the tool' : 'look at its screen before you try again';
  return {
    message: `${NOUNS[act.kind]} ended as ${outcome}: ${why}`,
    hint: turn === undefined ? look : `the output of the tool is in ${turn}`,
  };
}

const NOUNS: Record<DirectAct['kind'], string> = {
  prompt: 'the prompt',
  interrupt: 'the interrupt',
  send_keys: 'the key sequence',
};

const NOT_DONE: Record<DirectAct['kind'], string> = {
  prompt: 'the prompt was not submitted',
  interrupt: 'the interrupt was not sent',
  send_keys: 'the keys were not typed',
};

const LATER =
  'try again when the agent is ready, or attach a gateway ("rouse agents gateway attach"), which can queue prompts';

function delivered({ outcome, untouched, reasons, evidence }: DeliveryResult): Record<string, unknown> {
  return { by: 'direct', outcome, untouched, reasons: reasonTexts(reasons), evidence };
}

function promptPolicy({ flags }: InputOf<typeof PROMPT.flags>): AdmissionPolicy {
  return policyGiven(flags) ?? (flags.force ? 'always' : 'ready_only');
}

export const DIRECT_COMMANDS: Command[] = [
  severalAgents(
    command({
      ...PROMPT,
      description: `${PROMPT.description} Without a gateway this command does it itself, under the same lock. For a headless agent it then waits for the turn to end, and ending the command ends the turn.`,
      examples: [
        'rouse agents prompt --agent-name gpu --prompt "Review the diff."',
        'rouse agents prompt ana,ben "Review the diff."   # also --all and --team',
      ],
      run: withOrWithoutGateway({
        by: PROMPT,
        detail: 'Prompt submitted',
        policyOf: promptPolicy,
        actOf: async (input) => ({
          kind: 'prompt',
          text: await promptText(input),
          policy: promptPolicy(input),
          ...execution(input),
        }),
      }),
    }),
    { text: 'prompt' },
  ),
  severalAgents(
    command({
      ...INTERRUPT,
      summary: 'stop the running turn, with or without a gateway',
      examples: ['rouse agents interrupt --agent-name gpu', 'rouse agents interrupt ana ben'],
      run: withOrWithoutGateway({
        by: INTERRUPT,
        detail: 'Interrupt sent',
        actOf: async () => ({ kind: 'interrupt' }),
      }),
    }),
  ),
  command({
    ...SEND_KEYS,
    examples: ["rouse agents send-keys --agent-name gpu --sequence '<[Escape]>'"],
    run: withOrWithoutGateway({
      by: SEND_KEYS,
      detail: 'Keys sent',
      actOf: async ({ flags }: InputOf<typeof SEND_KEYS.flags>) => ({
        kind: 'send_keys',
        sequence: flags.sequence,
        escapeSpecialKeys: flags.escapeSpecialKeys === true,
      }),
    }),
  }),
];
