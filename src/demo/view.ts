import type { Tickets } from './ask.ts';
import type { Glance } from './look.ts';

export interface Frame {
  glances: Glance[];
  sent: number;
  lastMail: string;
  tickets: Tickets;
  seconds: number;
  attach: string;
}

const COLOURS: Record<string, string> = { idle: '32', busy: '33', 'being woken': '36', gone: '31' };

/** The live view as text; with colour only on a terminal. */
export function renderFrame(frame: Frame, colour: boolean): string {
  const { glances, sent, lastMail, tickets, seconds, attach } = frame;
  const paint = (text: string, code: string | undefined): string =>
    colour && code ? `\u001b[${code}m${text}\u001b[0m` : text;
  const rows = glances.map(({ name, state, openMail, wakes, answered, why }) =>
    [
      name.padEnd(8),
      paint(state.padEnd(13), COLOURS[state]),
      String(openMail).padStart(4),
      String(wakes).padStart(6),
      String(answered).padStart(8),
      `  ${why}`,
    ].join(' '),
  );
  return [
    paint(`Rouse: ${glances.length} agents, ${sent} messages sent, ${seconds} s`, '1'),
    '',
    paint(`${'AGENT'.padEnd(8)} ${'STATE'.padEnd(13)} OPEN  WAKES  HANDLED   WHY`, '2'),
    ...rows,
    '',
    `last mail  ${lastMail}`,
    `requests   ${tickets.asked} asked by a person, ${tickets.answered} answered; ${tickets.last}`,
    `look in    ${attach}`,
    'Ctrl-C ends it and leaves nothing running.',
    '',
  ].join('\n');
}
