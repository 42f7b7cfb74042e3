import { cleanText, type DayTurn } from '../../domain/index.ts';
import { readConversation } from '../../terminal/index.ts';
import { type KeptTurn, toolOf } from '../../tools/index.ts';
import { type ManifestFacts, section } from '../records/manifest-facts.ts';
import { sessionPaths } from '../records/session-paths.ts';
import type { DaySpan } from './day-span.ts';
import { endWords, MAX_TEXT, type TypedTurn } from './queue-day.ts';

/** The tool may note a prompt a little before its submission is proven. */
const EARLIER_MS = 30_000;
const LATER_MS = 120_000;

/** The turns with what the tool itself recorded: answers, and prompts that were typed in its terminal. */
export function withKeptTurns(
  turns: readonly TypedTurn[],
  facts: ManifestFacts,
  { span, env }: { span: DaySpan; env: NodeJS.ProcessEnv },
): DayTurn[] {
  const { root, tool } = facts;
  const home = section(section(facts.document, 'launch_plan'), 'home_selector')['home_path'];
  const kept =
    toolOf(tool)?.keptTurns?.({
      sessionRoot: root,
      signalsDir: sessionPaths(root).signals,
      home: typeof home === 'string' ? home : undefined,
      env,
      conversation: readConversation(root),
      fromMs: Date.parse(span.fromUtc),
      toMs: Date.parse(span.toUtc),
    }) ?? [];
  const open = [...kept];
  const known = turns.map(({ turn, text }) => {
    const at = open.findIndex((each) => isSame(each, turn.at_utc, text));
    if (at === -1) return turn;
    const [own] = open.splice(at, 1);
    return {
      ...turn,
      ended_at_utc: turn.ended_at_utc ?? own!.endedAtUtc,
      outcome: turn.ended_at_utc === null ? (endWords(own!.result) ?? turn.outcome) : turn.outcome,
      answer: turn.answer ?? answerOf(own!),
    };
  });
  return [...known, ...open.map(typed)];
}

/** The same words at about the same time. */
function isSame({ prompt, atUtc }: KeptTurn, typedAtUtc: string, text: string): boolean {
  const apart = Date.parse(atUtc) - Date.parse(typedAtUtc);
  if (apart < -EARLIER_MS || apart > LATER_MS) return false;
  return flat(prompt).startsWith(flat(text).slice(0, 200));
}

const flat = (text: string): string => cleanText(text, MAX_TEXT).replace(/\s+/g, ' ');

const answerOf = ({ answer }: KeptTurn): string | null =>
  answer === null || answer === '' ? null : cleanText(answer, MAX_TEXT);

function typed(turn: KeptTurn): DayTurn {
  return {
    at_utc: turn.atUtc,
    ended_at_utc: turn.endedAtUtc,
    by: 'typed',
    prompt: cleanText(turn.prompt, MAX_TEXT),
    outcome: endWords(turn.result) ?? 'no end seen',
    trouble: turn.result === 'known_failure',
    answer: answerOf(turn),
    request_id: null,
  };
}
