import { Disguise } from '../golden/disguise.ts';
import type { Ran } from '../support/test-world.ts';
import type { CommandName } from './deaths.ts';
import type { DyingAgent } from './dying-agent.ts';

const ALWAYS = /^(warning:|error:|note:|")/;
/** Only the lines of a status about the death, and of doctor about agents and a full disk. */
const KEPT: Partial<Record<CommandName, RegExp>> = {
  status: /^(Gateway|gateway_health|agent |needs you)/,
  attach: /^(Gateway|gateway_health|agent |needs you)/,
  why: /^(Agent|Needs you|No live gateway)/,
  doctor: /^((PROBLEM|warning) +(agent\.|gateways)|PROBLEM +disk)/,
  send: /^(sent|free)/,
};

/** The output of a command, without what varies between runs and what is not about the death. */
export function saidInShort(
  command: CommandName,
  { code, stdout, stderr }: Ran,
  { world, tmuxSession }: DyingAgent,
): string {
  const disguise = new Disguise();
  disguise.call(world.directory, 'home');
  disguise.call(tmuxSession, 'session');
  const kept = KEPT[command];
  let isKept = false;
  const lines = disguise
    .text(stderr + stdout)
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith('…') && !/^NAME {2}TOOL/.test(line))
    .filter((line) => {
      // An indented line belongs to the one above it.
      if (!line.startsWith(' ')) isKept = !kept || kept.test(line) || ALWAYS.test(line);
      return isKept;
    })
    .map((line) => line.replace(/^(ana {2}scripted {2}.*?) {2}.*$/, '$1'))
    .map((line) =>
      line.replace(/process \d+/g, 'process <n>').replace(/quiet [\d:]+-[\d:]+/g, 'quiet <hours>'),
    );
  return [...lines, `exit ${code}`].join('\n');
}
