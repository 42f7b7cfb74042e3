import { preview } from '../../base/index.ts';
import {
  type AgentDay,
  type DayMail,
  type DayReport,
  type DayTurn,
  daySummary,
  hasNews,
  TURNS,
} from '../../domain/index.ts';
import type { Input } from '../command.ts';
import { type Paint, painter } from '../print/colour.ts';
import { shownTime } from '../print/shown-time.ts';
import { textWidth, wrapText } from '../print/wrap-text.ts';

interface DayOptions {
  full: boolean;
}

/** Lines of a text that is not shown in full. */
const PREVIEW_LINES = 3;

/** A day for people: what happened in order of time, agent by agent. */
export function dayText(report: DayReport, input: Input, { full }: DayOptions): string {
  const { agents, your_mail: mail, troubles, from_utc, to_utc } = report;
  const page = new DayPage(input, full);
  const shown = agents.filter(hasNews);
  const idle = agents.filter((agent) => !hasNews(agent)).map(({ agent_name }) => agent_name);
  const lines = [
    `From ${page.time(from_utc)} to ${page.time(to_utc)}`,
    ...shown.flatMap((agent) => page.agent(agent)),
    ...(mail.length > 0
      ? ['', page.paint('bold', 'Mail for you'), ...mail.flatMap((each) => page.mail(each))]
      : []),
    ...(shown.length === 0 && mail.length === 0 ? ['', 'Nothing happened.'] : []),
    ...(idle.length > 0 ? ['', ...page.wrap(`Nothing from ${idle.join(', ')}`, '')] : []),
    ...troubles.flatMap((trouble) => page.wrap(`note: not read: ${trouble}`, '  ')),
  ];
  return lines.join('\n');
}

interface Entry {
  at_utc: string;
  lines: string[];
}

class DayPage {
  readonly paint: Paint;
  readonly #input: Input;
  readonly #full: boolean;
  readonly #width: number;

  constructor(input: Input, full: boolean) {
    this.#input = input;
    this.#full = full;
    this.paint = painter(input);
    this.#width = textWidth(input);
  }

  time(stamp: string): string {
    return shownTime(stamp, this.#input);
  }

  wrap(text: string, indent: string): string[] {
    return wrapText(text, { width: this.#width, indent });
  }

  agent(agent: AgentDay): string[] {
    const { agent_name, tool, state, needs_you, turns, wakes, mail, requests, states } = agent;
    const entries: Entry[] = [
      ...turns.map((turn) => ({ at_utc: turn.at_utc, lines: this.#turn(turn) })),
      // A wake that was typed is a turn.
      ...wakes
        .filter(({ typed }) => !typed)
        .map(({ at_utc, outcome, detail }) => ({
          at_utc,
          lines: this.#line(at_utc, `wake: ${outcome}${detail === null ? '' : `: ${detail}`}`),
        })),
      ...mail.map((each) => ({ at_utc: each.at_utc, lines: this.mail(each) })),
      ...requests.map(({ at_utc, direction, title, status }) => ({
        at_utc,
        lines: this.#line(at_utc, `${direction === 'asks' ? 'asks' : 'is asked'}: ${title} (${status})`),
      })),
      ...states.map(({ at_utc, words }) => ({
        at_utc,
        lines: this.#line(at_utc, words).map((line) => this.paint('dim', line)),
      })),
    ];
    entries.sort((a, b) => Date.parse(a.at_utc) - Date.parse(b.at_utc));
    return [
      '',
      ...this.wrap(`${this.paint('bold', agent_name)} (${tool}): ${daySummary(agent)}. Now: ${state}.`, '  '),
      ...(needs_you === null
        ? []
        : this.wrap(`needs you: ${needs_you}`, '  ').map((line) => this.paint('yellow', line))),
      ...entries.flatMap(({ lines }) => lines),
      ...(agent.truncated ? ['  There was more than is listed.'] : []),
    ];
  }

  mail({ at_utc, direction, with: other, subject, state }: DayMail): string[] {
    return this.#line(at_utc, `mail ${direction === 'sent' ? 'to' : 'from'} ${other}: ${subject} (${state})`);
  }

  #turn({ at_utc, by, outcome, trouble, prompt, answer }: DayTurn): string[] {
    const title = by === 'wake' ? 'woken for mail' : TURNS[by].toLowerCase();
    const head = this.#line(at_utc, `${title} (${outcome})`);
    return [
      ...(trouble ? head.map((line) => this.paint('red', line)) : head),
      ...(prompt === null ? [] : this.#text('> ', prompt)),
      ...(answer === null ? [] : this.#text('< ', answer)),
    ];
  }

  #line(at: string, text: string): string[] {
    const time = this.time(at);
    return wrapText(`${time}  ${text}`, { width: this.#width - 2, indent: ' '.repeat(time.length + 2) }).map(
      (line) => `  ${line}`,
    );
  }

  /** What was typed has `>` in front, what the tool wrote `<`. */
  #text(mark: string, text: string): string[] {
    const indent = '    ';
    const width = this.#width - indent.length - mark.length;
    const lines = this.#full
      ? text.split('\n').flatMap((line) => wrapText(line, { width, indent: '' }))
      : wrapText(preview(text, width * PREVIEW_LINES), { width, indent: '' });
    return lines.map((line) => `${indent}${mark}${line}`.trimEnd());
  }
}
