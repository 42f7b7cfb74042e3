import { invalid, isRouseError, sleep, systemClock } from '../../base/index.ts';
import type { GatewayClient } from '../../client/index.ts';
import { type AdmissionPolicy, readReason } from '../../domain/index.ts';
import { exitCodeOf } from '../../wire/codes.ts';
import type { ControlPromptInput, PromptRefused, PromptResult } from '../../wire/index.ts';
import { GATEWAY_TARGET_FLAGS } from '../agents/target.ts';
import { command, type Flag, type FlagsOf, type InputOf, type Output } from '../command.ts';
import { notBlank, wholeNumber } from '../input/flag-values.ts';
import { exitCodeOfOutcome } from '../print/outcome-exit.ts';
import { promptRefusal, reportRefused } from './refused.ts';
import { liveGateway } from './target.ts';
import { PROMPT_FLAG, promptText } from './text.ts';

/** Typing, proof and a chat reset together may take this long; the gateway gives up earlier. */
const PROMPT_TIMEOUT_MS = 90_000;

/** A screen that only just changed, as after a launch, is still soon. Each refused try leaves a row in the queue. */
const STILL_TRIES = 6;
const STILL_PAUSE_MS = 500;

async function runPrompt(input: InputOf<typeof PROMPT_FLAGS>): Promise<Output> {
  const body = { prompt: await promptText(input), ...admission(input), ...execution(input) };
  const gateway = await liveGateway(input);
  input.progress('waiting for proof that the prompt was submitted');
  try {
    const result = await promptWhenStill(gateway, body, input.signal);
    const ids = [result.evidence?.['request_id'], result.turn_id].filter(Boolean).join(', ');
    return { data: result, plain: `Prompt submitted${ids && ` (${ids})`}.` };
  } catch (error) {
    const detail = refusedBy(error);
    if (!isRouseError(error) || !detail) throw error;
    reportRefused(input, detail, promptRefusal(detail));
    return { data: undefined, exitCode: exitCodeOfOutcome(detail.outcome ?? null) ?? exitCodeOf(error) };
  }
}

/** Waits a moment if the prompt is refused only because the screen is still changing. Nothing was typed then. */
async function promptWhenStill(
  gateway: GatewayClient,
  body: ControlPromptInput,
  signal: AbortSignal,
): Promise<PromptResult> {
  for (let tries = 1; ; tries++) {
    try {
      return await gateway.prompt(body, { timeoutMs: PROMPT_TIMEOUT_MS, signal });
    } catch (error) {
      const { outcome, reasons = [] } = refusedBy(error) ?? {};
      const isPassing = outcome === undefined && reasons.length > 0 && reasons.every(passes);
      if (!isPassing || tries === STILL_TRIES) throw error;
      await sleep(systemClock, STILL_PAUSE_MS, signal);
      signal.throwIfAborted();
    }
  }
}

const passes = (text: string): boolean => readReason(text).code === 'unstable_screen';

function refusedBy(error: unknown): PromptRefused | undefined {
  return isRouseError(error) ? (error.facts['detail'] as PromptRefused | undefined) : undefined;
}

function admission({
  flags,
}: InputOf<typeof PROMPT_FLAGS>): Pick<ControlPromptInput, 'force' | 'admission_policy'> {
  const policy = policyGiven(flags);
  if (policy === undefined) return flags.force ? { force: true } : {};
  return { admission_policy: policy };
}

/** The admission policy, as the wire spells it. */
export function policyGiven(flags: FlagsOf<typeof PROMPT_FLAGS>): AdmissionPolicy | undefined {
  const { admissionPolicy: policy, force } = flags;
  if (force && policy !== undefined)
    throw invalid('--force and --admission-policy exclude each other', {
      hint: '--force is the older spelling of --admission-policy always',
    });
  return policy?.replaceAll('-', '_') as AdmissionPolicy | undefined;
}

/** The model settings of the flags; empty when there are none. */
export function execution({ flags }: InputOf<typeof PROMPT_FLAGS>): {
  execution?: { model: { name?: string; reasoning?: { level: number } } };
} {
  const level = flags.reasoningLevel;
  const name = flags.model;
  if (level === undefined && name === undefined) return {};
  return {
    execution: {
      model: { ...(name !== undefined && { name }), ...(level !== undefined && { reasoning: { level } }) },
    },
  };
}

const PROMPT_FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  PROMPT_FLAG,
  {
    name: 'admission-policy',
    value: 'POLICY',
    choices: ['ready-only', 'if-no-pending', 'always'],
    summary: 'when it may be typed: only into a ready agent, unless input is already pending, or always',
  },
  { name: 'force', summary: 'the same as --admission-policy always' },
  { name: 'model', value: 'NAME', summary: 'model for this prompt; headless agents only', parse: notBlank },
  {
    name: 'reasoning-level',
    value: 'N',
    summary: 'reasoning level for this prompt, 0 or more; headless agents only',
    parse: wholeNumber(0),
  },
] as const satisfies readonly Flag[];

export const PROMPT = command({
  name: 'prompt',
  summary: 'submit a prompt now and prove it, or refuse with the reasons',
  description:
    'Types the prompt at once and proves that the tool accepted it. If the agent must not be disturbed, ' +
    'nothing is typed: the reasons are printed on standard error and the exit code is 5. A screen that is only still ' +
    'changing is waited for, max 3 s. To ' +
    'queue it instead, use "requests submit". --force ignores whether the agent is busy, but never types into a ' +
    "dialog, a shell or a person's draft.",
  examples: [
    'rouse agents gateway prompt --agent-name gpu --prompt "Review the diff."',
    'rouse agents gateway prompt --agent-name gpu < prompt.md',
    'rouse agents gateway prompt --agent-name gpu --prompt "go on" --admission-policy if-no-pending',
  ],
  flags: PROMPT_FLAGS,
  run: runPrompt,
});

async function runSendKeys(input: InputOf<typeof RUN_SEND_KEYS_FLAGS>): Promise<Output> {
  const { flags } = input;
  const gateway = await liveGateway(input);
  const result = await gateway.sendKeys(
    {
      sequence: flags.sequence,
      ...(flags.escapeSpecialKeys === true && { escape_special_keys: true }),
    },
    { timeoutMs: 30_000 },
  );
  return { data: result, plain: result.detail };
}

const RUN_SEND_KEYS_FLAGS = [
  ...GATEWAY_TARGET_FLAGS,
  { name: 'sequence', value: 'KEYS', summary: 'what to type', required: true },
  { name: 'escape-special-keys', summary: 'type the whole sequence as text, including tokens' },
] as const satisfies readonly Flag[];

export const SEND_KEYS = command({
  name: 'send-keys',
  summary: 'type raw keys now, also into a dialog or a busy turn; no Enter is added',
  description:
    'Types text and exact <[key-name]> tokens from left to right: Enter, Escape, Up, Down, Left, Right, Tab, BSpace, ' +
    'C-c, C-d, C-u, C-z. An unknown key is refused before anything is typed.',
  examples: [
    "rouse agents gateway send-keys --agent-name gpu --sequence '<[Escape]>'",
    "rouse agents gateway send-keys --agent-name gpu --sequence '/model<[Enter]>'",
  ],
  flags: RUN_SEND_KEYS_FLAGS,
  run: runSendKeys,
});
