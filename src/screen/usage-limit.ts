/** The provider refuses work for now. */
export interface UsageLimit {
  text: string;
  /** When it ends, in the tool's words; null if the notice does not state it. */
  resets: string | null;
}

/** The marker that tools put before a notice. */
const MARKER = /^[\s●•■✕✗⚠ℹ⎿│┃╰└*!-]*/u;

/** The beginning of a row that does not continue the row above it. */
const BEGINS = /^\s*[●•■✕✗⚠ℹ⎿│┃╰└]/u;

/**
 * The sentence begins the row, as a notice of the tool does; prose about limits rarely does. Warnings that a limit
 * is near ("used 90 % of your limit") do not count.
 */
const NOTICE =
  /^(?:(?:API )?Error:? )?(?:\d{3} )?(?:you(?:['’]ve| have)? (?:hit|reached|exceeded|exhausted|run out of|are out of)\b.{0,60}\b(?:limit|quota|budget|credits?|usage)\b|you['’]re out of\b.{0,30}\b(?:usage|credits?|quota)\b|(?:[\w'’-]+ ){0,4}(?:usage|spend|spending|session|weekly|daily|monthly|5-hour|quota|plan) limit (?:reached|exceeded|hit)\b|quota exceeded\b|(?:the )?usage limit has been reached\b|(?:your )?workspace is out of credits)/i;

const RESET =
  /\b(?:resets?(?: at| in| on)?|try again (?:at|in|after|on)|available again (?:at|in|on))\s+([^.|\n·]{2,60})/i;

/** A limit notice in the footer, or the newest one of a turn. It begins a block; a row in the middle of an answer is the model's. */
export function findUsageLimit(
  turn: readonly string[],
  footer: readonly string[] = [],
): UsageLimit | undefined {
  return noticeIn(footer, () => true) ?? noticeIn(turn, (at) => beginsBlock(turn, at));
}

function beginsBlock(rows: readonly string[], at: number): boolean {
  return BEGINS.test(rows[at]!) || (rows[at - 1] ?? '').trim() === '';
}

function noticeIn(rows: readonly string[], counts: (at: number) => boolean): UsageLimit | undefined {
  for (let at = rows.length - 1; at >= 0; at--) {
    const text = rows[at]!.replace(MARKER, '').trim();
    if (!NOTICE.test(text) || !counts(at)) continue;
    const whole = `${text} ${(rows[at + 1] ?? '').trim()}`;
    return { text, resets: RESET.exec(whole)?.[1]?.trim() ?? null };
  }
  return undefined;
}
