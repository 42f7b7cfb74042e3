import { type AgentDay, type DayReport, daySummary, hasNews } from './day-report.ts';

/** How a time is shown, such as `14:02`. */
export type ShowTime = (stamp: string) => string;

/**
 * A day as Markdown. Texts of others are code, so that nothing in them is a link, a picture, HTML or a heading.
 */
export function dayMarkdown(report: DayReport, time: ShowTime): string {
  const { agents, your_mail: mail, troubles } = report;
  const shown = agents.filter(hasNews);
  const idle = agents.filter((agent) => !hasNews(agent)).map(({ agent_name }) => agent_name);
  return [
    `# ${time(report.from_utc)} to ${time(report.to_utc)}`,
    ...(shown.length === 0
      ? ['', 'Nothing happened.']
      : shown.flatMap((agent) => agentMarkdown(agent, time))),
    ...section(
      'Mail for you',
      mail.map(
        (each) => `- ${time(each.at_utc)} from ${code(each.with)}: ${code(each.subject)} (${each.state})`,
      ),
    ),
    ...(idle.length > 0 ? ['', `Nothing from: ${idle.map(code).join(', ')}`] : []),
    ...section(
      'Not read',
      troubles.map((trouble) => `- ${code(trouble)}`),
    ),
    '',
  ].join('\n');
}

function agentMarkdown(agent: AgentDay, time: ShowTime): string[] {
  const { turns, wakes, mail, requests, states } = agent;
  return [
    '',
    `## ${agent.agent_name} (${agent.tool})`,
    '',
    `${daySummary(agent)}. Now: ${code(agent.state)}.`,
    ...(agent.needs_you ? ['', `**Needs you:** ${code(agent.needs_you)}`] : []),
    ...turns.flatMap((turn) => [
      '',
      `### ${time(turn.at_utc)} ${turn.by === 'wake' ? 'Woken for mail' : TURNS[turn.by]} (${turn.outcome})`,
      ...(turn.prompt === null ? [] : ['', ...fenced(turn.prompt)]),
      ...(turn.answer === null ? [] : ['', 'Answer:', '', ...fenced(turn.answer)]),
    ]),
    ...section(
      'Wakes',
      wakes.map(({ at_utc, outcome, detail }) =>
        [`- ${time(at_utc)} ${outcome}`, ...(detail ? [code(detail)] : [])].join(': '),
      ),
    ),
    ...section(
      'Mail',
      mail.map(
        ({ at_utc, direction, with: other, subject, state }) =>
          `- ${time(at_utc)} ${direction === 'sent' ? 'to' : 'from'} ${code(other)}: ${code(subject)} (${state})`,
      ),
    ),
    ...section(
      'Requests',
      requests.map(
        ({ at_utc, direction, title, status }) =>
          `- ${time(at_utc)} ${direction === 'asks' ? 'asks' : 'is asked'}: ${code(title)} (${status})`,
      ),
    ),
    ...section(
      'States',
      states.map(({ at_utc, words }) => `- ${time(at_utc)} ${code(words)}`),
    ),
    ...(agent.truncated ? ['', 'There was more than is listed here.'] : []),
  ];
}

/** Titles of turns by where the prompt came from. */
export const TURNS = {
  prompt: 'Prompt',
  fleet: 'Message of the fleet',
  typed: 'Typed in its terminal',
} as const;

function section(title: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? ['', `**${title}**`, '', ...lines] : [];
}

/** One line of code, with more backticks around it than there are in it. */
function code(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim() || '-';
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

function fenced(text: string): string[] {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return [`${fence}text`, ...text.split('\n'), fence];
}

const longestRun = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
