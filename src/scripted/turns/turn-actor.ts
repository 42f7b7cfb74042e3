import type { Journal } from '../control/journal.ts';
import type { Options } from '../options.ts';
import { mailActor } from './mail-actor.ts';
import { requestActor } from './request-actor.ts';

/** Handles mail, then requests, if the prompt asks for it. Undefined when it asks for neither. */
export function turnActor({ mail, requests }: Pick<Options, 'mail' | 'requests'>, journal: Journal) {
  const actors = [mailActor(mail, journal), requestActor(requests, journal)];
  return async (prompt: string, turnId: string, signal: AbortSignal): Promise<string | undefined> => {
    const remarks: string[] = [];
    for (const act of actors) remarks.push((await act(prompt, turnId, signal)) ?? '');
    return remarks.filter((remark) => remark !== '').join(' ') || undefined;
  };
}
