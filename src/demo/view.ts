import type { Tickets } from './ask.ts';
import type { AgentSnapshot } from './observe-agent.ts';

export interface Frame {
  snapshots: AgentSnapshot[];
  lastMail: string;
  tickets: Tickets;
  seconds: number;
  attach: string;
  /** The page, with its code; never cut, so that it can be opened. */
  page: string;
}

export interface Look {
  colour: boolean;
  columns: number;
}

const COLOURS: Record<string, string> = { idle: '32', busy: '33', 'being woken': '36', gone: '31' };
const BOLD = '1';
const DIM = '2';
/** From this width on the reason is beside its agent; below it, on a line of its own. */
const WIDE = 80;

/** The live view as text. No line is wider than the terminal. */
export function renderFrame(frame: Frame, { colour, columns }: Look): string {
  const { snapshots, lastMail, tickets, seconds, attach, page } = frame;
  const line = (text: string, code?: string): string => {
    const shown = cut(text, columns);
    return colour && code ? `\u001b[${code}m${shown}\u001b[0m` : shown;
  };
  const wide = columns >= WIDE;
  const rows = snapshots.flatMap((snapshot) => {
    const { state, why } = snapshot;
    const code = colour ? COLOURS[state] : undefined;
    if (wide) return [paintState(line(`${rowOf(snapshot)}   ${why}`), code)];
    return [paintState(line(rowOf(snapshot)), code), line(`${' '.repeat(STATE.from)}${why}`, DIM)];
  });
  const sent = snapshots.reduce((sum, snapshot) => sum + snapshot.sent, 0);
  return [
    line(
      `Rouse: ${snapshots.length} agents, ${sent} ${sent === 1 ? 'message' : 'messages'} sent, ${seconds} s`,
      BOLD,
    ),
    '',
    line(`${'AGENT'.padEnd(8)} ${'STATE'.padEnd(13)} OPEN  WOKEN  HANDLED${wide ? '   WHY' : ''}`, DIM),
    ...rows,
    '',
    line(`last mail  ${lastMail}`),
    line(`requests   ${tickets.asked} asked by a person, ${tickets.answered} answered; ${tickets.last}`),
    line(`look in    ${attach}`),
    `page       ${page}`,
    line('Ctrl-C ends the demo and leaves nothing running.', DIM),
    '',
  ].join('\n');
}

/** The columns of the state in a row. */
const STATE = { from: 9, to: 22 };

function paintState(row: string, code: string | undefined): string {
  if (!code) return row;
  const { from, to } = STATE;
  return `${row.slice(0, from)}\u001b[${code}m${row.slice(from, to)}\u001b[0m${row.slice(to)}`;
}

function rowOf({ name, state, openMail, wakes, handled }: AgentSnapshot): string {
  const numbers = [String(openMail).padStart(4), String(wakes).padStart(6), String(handled).padStart(8)];
  return [name.padEnd(8), state.padEnd(13), ...numbers].join(' ');
}

const cut = (text: string, columns: number): string =>
  text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`;

/** What to try after the demo. */
export function nextSteps(installed: boolean): string {
  return [
    'Demo ended, nothing left running. With your own agents:',
    ...(installed ? [] : ['  npm install --global .     installs `rouse`']),
    '  rouse launch claude ana    in tmux; --wake: mail wakes it',
    '  rouse join NAME --wake     one that is already running',
    '  rouse ls                   who is working, who needs you',
    '  rouse why ana              why it was, or was not, woken',
    '  rouse dashboard            everything in your browser',
    '',
  ].join('\n');
}
