import * as fs from 'node:fs';
import { messageOf, readIfExists } from '../../base/index.ts';
import type { NotifierMode, WakeAnnouncement, WakeText } from '../../domain/index.ts';

/** What the text of a wake depends on. */
export interface WakeWanted {
  mode: NotifierMode;
  wake_text: WakeText;
  announce: WakeAnnouncement;
  /** Addresses that the mail is from, if the transport proves them. */
  senders: readonly string[];
}

export type WakeLead = 'tools' | 'skill' | 'command';

export interface WakeTemplate {
  text: string;
  /** Why the packaged text is used although the user has one; null if nothing is wrong. */
  problem: string | null;
  /** What the prompt names first. */
  leads_with?: WakeLead;
}

/** The user's own wake text if it is usable; otherwise the packaged one. */
export function readWakeTemplate(own: string, packaged: string): WakeTemplate {
  const { text, cause } = usable(own);
  if (text !== undefined) return { text, problem: null };
  return {
    text: fs.readFileSync(packaged, 'utf8'),
    problem: cause === undefined ? null : `${cause}; wakes use the packaged text instead`,
  };
}

function usable(file: string): { text?: string | undefined; cause?: string } {
  try {
    const text = readIfExists(file);
    return text === undefined || isVisible(text) ? { text } : { cause: `${file} has no visible text` };
  } catch (error) {
    return { cause: `${file} cannot be read: ${messageOf(error)}` };
  }
}

/** Whether a person would see any of it; the lane types no invisible text. */
function isVisible(text: string): boolean {
  return /[^\s\p{C}\p{M}\p{Z}]/u.test(text);
}
