import { commandLine, stableJson } from '../../base/index.ts';
import { reasonInWords } from '../../domain/index.ts';
import type { PromptRefused } from '../../wire/index.ts';
import type { Input } from '../command.ts';
import { errorText } from '../print/error-text.ts';

/** Prints a refusal on standard error: a sentence and the next step for people, all facts for programs. */
export function reportRefused(input: Input, facts: object, { message, hint }: Refusal): void {
  input.err(input.style === 'json' ? stableJson(facts) : errorText(message, hint));
}

export interface Refusal {
  message: string;
  hint: string;
}

/** Words for a direct prompt that the gateway refused, or that did not end as submitted. */
export function promptRefusal({ error_code, detail, reasons, outcome, request_id }: PromptRefused): Refusal {
  if (outcome !== undefined)
    return {
      message: `the prompt ended as ${outcome}: ${detail}`,
      hint: `"${commandLine`rouse why --request ${request_id ?? 'ID'}`}" shows the details; check before you send it again`,
    };
  const why = reasons?.length ? reasonInWords(reasons.join(' ')) : detail;
  const hint = HINTS[error_code];
  return hint === undefined
    ? { message: `the prompt was refused: ${why}`, hint: 'see "rouse agents gateway prompt --help"' }
    : { message: `the prompt was not submitted: ${why}`, hint };
}

const QUEUE_IT = 'to have it typed once the agent is ready, use "rouse agents gateway requests submit"';

const HINTS: Partial<Record<string, string>> = {
  not_ready: QUEUE_IT,
  pending_input: QUEUE_IT,
  pending_input_unknown: QUEUE_IT,
  blocked_reconciliation: '"rouse agents gateway reconcile" decides about them',
  unavailable: '"rouse ls" shows its state and the command that starts its tool again',
};
