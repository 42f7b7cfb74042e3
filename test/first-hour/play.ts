import { shellQuote } from '../../src/base/index.ts';
import type { Newcomer } from './newcomer.ts';

/** Plays one line of a README; throws if it fails. */
export async function play(newcomer: Newcomer, line: string): Promise<string> {
  const [, manner] = MANNERS.find(([pattern]) => pattern.test(line)) ?? [];
  if (manner) return manner(newcomer, line);
  return succeeds(newcomer, line);
}

export async function succeeds(newcomer: Newcomer, line: string): Promise<string> {
  const { code, text } = await newcomer.types(line);
  if (code !== 0) throw new Error(`this line of the README ended with ${code}: ${line}\n${text}`);
  return text;
}

type Manner = (newcomer: Newcomer, line: string) => Promise<string>;

/** Lines that take over the terminal, or are typed inside an agent's session. */
const MANNERS: [RegExp, Manner][] = [
  [/^rouse open /, opens],
  [/ --watch$/, watches],
  [/^rouse join /, joins],
  [/^rouse send /, sends],
  [/^export /, setsVariable],
];

/** Shows the agent's session, and detaches as a person does. */
async function opens(newcomer: Newcomer, line: string): Promise<string> {
  beginInTerminal(newcomer, line);
  await newcomer.until(`"${line}" to show the session`, async () => {
    // The gateway's own clients are in control mode.
    const { text } = await newcomer.types("tmux list-clients -F '#{client_control_mode}'");
    return text.split('\n').includes('0');
  });
  // tmux takes keys within a millisecond for pasted text.
  for (const key of ['C-b', 'd']) {
    newcomer.terminal('send-keys', '-t', 'terminal', key);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return endsInTerminal(newcomer, line);
}

async function watches(newcomer: Newcomer, line: string): Promise<string> {
  beginInTerminal(newcomer, line);
  await newcomer.until(`"${line}" to show something`, () => /\bana\b/.test(screen(newcomer)));
  newcomer.terminal('send-keys', '-t', 'terminal', 'C-c');
  return endsInTerminal(newcomer, line);
}

const screen = (newcomer: Newcomer): string => newcomer.terminal('capture-pane', '-p', '-t', 'terminal');

function beginInTerminal(newcomer: Newcomer, line: string): void {
  const words = Object.entries(newcomer.env).map(([name, value]) => shellQuote(`${name}=${value}`));
  const program = `trap : INT; cd ${shellQuote(newcomer.clone)}; env -u TMUX ${words.join(' ')} sh -c ${shellQuote(line)}; echo "ended with $?"; cat`;
  newcomer.terminal('new-session', '-d', '-x', '120', '-y', '40', '-s', 'terminal', program);
}

async function endsInTerminal(newcomer: Newcomer, line: string): Promise<string> {
  const shown = await newcomer.until(`"${line}" to end`, () => /ended with \d+/.exec(screen(newcomer))?.[0]);
  const text = screen(newcomer);
  newcomer.terminal('kill-server');
  if (!/^ended with (0|130)$/.test(shown))
    throw new Error(`this line of the README ${shown}: ${line}\n${text}`);
  return text;
}

/** Runs in a second window of a session in which a person started the tool. */
async function joins(newcomer: Newcomer, line: string): Promise<string> {
  const tool = newcomer.env['HAND_STARTED']!;
  await succeeds(newcomer, `tmux new-session -d -x 120 -y 40 -s mine ${shellQuote(tool)}`);
  const said = `${newcomer.place}/joined`;
  const inside = `${line} > ${said} 2>&1; echo "ended with $?" >> ${said}`;
  await succeeds(newcomer, `tmux new-window -d -t mine: ${shellQuote(inside)}`);
  const text = await newcomer.until(`"${line}" to end`, async () => {
    const { text: read } = await newcomer.types(`cat ${said}`);
    return /ended with/.test(read) ? read : undefined;
  });
  if (!text.includes('ended with 0')) throw new Error(`this line of the README failed: ${line}\n${text}`);
  return text;
}

/** Mail wakes its recipient. */
async function sends(newcomer: Newcomer, line: string): Promise<string> {
  const text = await succeeds(newcomer, line);
  const [, name] = /^rouse send (\S+)/.exec(line)!;
  await newcomer.until(`${name} to be woken by "${line}"`, () => isWoken(newcomer, name!));
  return text;
}

export async function isWoken(newcomer: Newcomer, name: string): Promise<boolean> {
  const { text } = await newcomer.types(`rouse agents gateway requests list --agent-name ${name} --json`);
  const { requests } = JSON.parse(text) as { requests: { request_kind: string; outcome: string | null }[] };
  return requests.some(
    ({ request_kind, outcome }) => request_kind === 'mail_notifier_prompt' && outcome === 'submitted',
  );
}

/** Each line has a shell of its own, so what one exports is kept for the next. */
function setsVariable(newcomer: Newcomer, line: string): Promise<string> {
  const [, name, value] = /^export (\w+)=(\S+)/.exec(line)!;
  newcomer.env[name!] = value!;
  return Promise.resolve('');
}
