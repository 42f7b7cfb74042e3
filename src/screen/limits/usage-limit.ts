/** The provider refuses work for now. */
export interface UsageLimit {
  text: string;
  /** When it ends, in the tool's words; null if the notice does not state it. */
  resets: string | null;
  /** Credits or a budget are used up: no time brings them back. */
  spent?: true;
  /** It ended a turn; otherwise it is a notice below the composer. */
  cut?: true;
  /** The tool states that it continues by itself when it ends. */
  continues?: true;
}

/** The marker that tools put before a notice. */
const MARKER = /^[\s●•■✕✗⚠ℹ⎿│┃╰└*!-]*/u;

/** The mark of a notice, which the model's answers do not have, or whose colour they do not have. */
const BEGINS_NOTICE = /^\s*[●■✕✗⚠ℹ⎿│┃╰└]|^\s?Error: /u;

/** The beginning of a row that does not continue the row above it. */
const BEGINS = /^\s*[●•■✕✗⚠ℹ⎿│┃╰└]/u;

/**
 * The sentence begins the row, as a notice of the tool does; prose about limits rarely does. Warnings that a limit
 * is near ("used 90 % of your limit") do not count.
 */
const NOTICE =
  /^(?:(?:API )?Error:? )?(?:Retry failed after \d+ attempts: |Failed to get response from the AI model; retried \d+ times .{0,60}Last error: )?(?:\d{3}:? )?(?:\{.{0,40}"type": ?"usage_limit_reached"|you(?:['’]ve| have)? (?:hit|reached|exceeded|exhausted|run out of|are out of)\b.{0,60}\b(?:limit|quota|budget|credits?|usage)\b|you['’]re out of\b.{0,30}\b(?:usage|credits?|quota)\b|you exceeded your current quota\b|(?:[\w'’-]+ ){0,4}(?:usage|spend|spending|session|weekly|daily|monthly|5-hour|quota|plan) limit (?:reached|exceeded|hit)\b|quota exceeded\b|(?:the )?usage limit has been reached\b|(?:your )?workspace is out of credits|(?:your )?credit balance (?:is )?too low|insufficient[ _]quota\b)/i;

/** The tool waits for such a limit by itself: it is over within a minute. */
const PER_MINUTE = /\bper[ -](?:minute|second)\b|\brate limit\b|\b[rt]pm\b/i;

const MONEY =
  /\b(?:credits?|billing|balance|budget|spend(?:ing)? limit|insufficient[ _]quota|current quota)\b/i;

const RESET =
  /\b(?:resets?(?: at| in| on| after)?|try again (?:at|in|after|on)|available again (?:at|in|on)|continuing automatically at)\s+([^.|\n·]{2,60})|limit reached\|(\d{10,13})\b|"resets_at": ?(\d{10})\b/i;

/** Claude Code's row below its composer while it waits for the end itself. */
const CONTINUES = /^\s*Continuing (?:automatically|shortly)\b/;

/** A notice may be wrapped into this many more rows. */
const MAX_MORE_ROWS = 5;

/** A block of the tool's or the model's that is not about a limit: the turn went on after it. */
const WENT_ON = /^\s?[●•✦]\s(?!Automatic continue )/u;

/**
 * A limit notice in the footer, or the newest one of a turn that nothing followed. It begins a block with a mark of the tool's
 * own; other rows are the model's, or what it printed. `isTools`: whether a row is drawn as the tool draws its own.
 */
export function findUsageLimit(
  turn: readonly string[],
  footer: readonly string[] = [],
  isTools: (at: number) => boolean = () => true,
): UsageLimit | undefined {
  const below = noticeIn(footer, { more: 0, counts: () => true });
  if (below) return { ...below, ...(footer.some((row) => CONTINUES.test(row)) && { continues: true }) };
  const ended = noticeIn(turn, {
    more: MAX_MORE_ROWS,
    counts: (at) =>
      BEGINS_NOTICE.test(turn[at]!) && isTools(at) && !turn.slice(at + 1).some((row) => WENT_ON.test(row)),
  });
  return ended && { ...ended, cut: true };
}

/** A notice in what the tool reports apart from its screen. */
export function limitIn(text: string): UsageLimit | undefined {
  return noticeIn(text.split('\n'), { more: MAX_MORE_ROWS, counts: () => true });
}

function noticeIn(
  rows: readonly string[],
  { more, counts }: { more: number; counts: (at: number) => boolean },
): UsageLimit | undefined {
  for (let at = rows.length - 1; at >= 0; at--) {
    const text = rows[at]!.replace(MARKER, '').trim();
    const whole = [text, ...continued(rows, at, more)].join(' ');
    if (!NOTICE.test(whole) || PER_MINUTE.test(whole) || !counts(at)) continue;
    const [, words, ...epochs] = RESET.exec(whole) ?? [];
    const resets = (words ?? epochs.find((each) => each !== undefined))?.trim() ?? null;
    return { text, resets, ...(resets === null && MONEY.test(whole) && { spent: true }) };
  }
  return undefined;
}

/** The rows into which the one at `at` was wrapped. */
function continued(rows: readonly string[], at: number, more: number): string[] {
  const next = rows.slice(at + 1, at + 1 + more);
  const end = next.findIndex((row) => row.trim() === '' || BEGINS.test(row));
  return (end < 0 ? next : next.slice(0, end)).map((row) => row.trim());
}
