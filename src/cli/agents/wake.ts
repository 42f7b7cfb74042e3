import { asRouseError, commandLine, invalid, type RouseError } from '../../base/index.ts';
import { USUAL_WAKES, wakePolicyWords } from '../../domain/index.ts';
import type { AttachReport, ManifestFacts, SkillsAtLaunch } from '../../session/index.ts';
import type { MailNotifierInput, MailNotifierStatus } from '../../wire/index.ts';
import type { Flag, Input } from '../command.ts';
import { gatewayOf } from '../gateway/target.ts';
import type { Settings } from '../settings.ts';
import { errorData } from './missing.ts';
import { sessionContext } from './target.ts';

export const WAKE = {
  name: 'wake',
  negatable: true,
  summary: `wake it for mail: attaches a gateway, in the host, and turns on its notifier (${wakePolicyWords(USUAL_WAKES)})`,
} as const satisfies Flag;

/** Whether the agent is woken for mail. A failure here does not end the agent. */
export interface Wakes {
  wakes?: MailNotifierStatus | undefined;
  wakeError?: RouseError | undefined;
}

/** Whether to wake it: decided by the flag, else by a file if there is a mailbox. */
export function wakeWanted({ settings }: Input, wake: boolean | undefined, mailbox: unknown): boolean {
  if (wake && mailbox === false)
    throw invalid('--wake needs a mailbox, and --no-mailbox leaves the agent without one', {
      hint: 'leave out one of the two',
    });
  return wake ?? (settings.wake.on === true && mailbox !== false);
}

/** The default wake settings: from a file, else the usual ones. */
export function wakePolicy({ wake }: Settings): MailNotifierInput {
  const { on: _, quiet_hours: hours, time_zone: zone, ...policy } = wake;
  const [from, to] = hours?.split('-') ?? [];
  const time_zone = zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { ...USUAL_WAKES, ...policy, ...(from && to && { quiet_hours: { from, to, time_zone } }) };
}

/** Turns on the notifier of a gateway that was just attached. */
export async function turnOnWakes(input: Input, { agentId }: ManifestFacts): Promise<Wakes> {
  const { findTarget } = await import('../../session/index.ts');
  try {
    const gateway = await gatewayOf(input, await findTarget(sessionContext(input), { agentId }));
    if (typeof gateway === 'string') return {};
    return { wakes: await gateway.call('notifier.enable', { body: wakePolicy(input.settings) }) };
  } catch (error) {
    return { wakeError: asRouseError(error) };
  }
}

/** How the agent is woken now; undefined when its gateway cannot be asked. */
export async function wakesNow(
  input: Input,
  { agentId }: ManifestFacts,
): Promise<MailNotifierStatus | undefined> {
  const { findTarget } = await import('../../session/index.ts');
  try {
    const gateway = await gatewayOf(input, await findTarget(sessionContext(input), { agentId }));
    return typeof gateway === 'string' ? undefined : await gateway.notifier();
  } catch {
    return undefined;
  }
}

export function wakesData({ wakes, wakeError }: Wakes): Record<string, unknown> {
  return { wakes: wakes ?? null, wakes_error: errorData(wakeError) };
}

interface Equipped extends Wakes {
  facts: ManifestFacts;
  attached?: AttachReport | undefined;
  skills?: SkillsAtLaunch | undefined;
}

/** One line: wakes, mail tools and skills, on or off. */
export function equipmentLine({ facts, wakes, attached, skills }: Equipped): string {
  return [
    wakes?.enabled ? `woken for ${wakePolicyWords(wakes)}` : wakesOff(facts.agentName, attached),
    toolsInWords(facts),
    ...(skills ? [skills.problem === undefined ? 'skills installed' : 'skills not installed'] : []),
  ].join(' · ');
}

const DOORS: Record<string, string> = { http: 'MCP', stdio: 'MCP (stdio)', extension: 'an extension' };

/** How the agent's tool got our tools at launch; undefined if it did not. */
export function mcpDoorOf(facts: Pick<ManifestFacts, 'document'>): string | undefined {
  const door = notedOf(facts).mcp_door;
  return typeof door === 'string' ? door : undefined;
}

interface Noted {
  mcp_door?: unknown;
  mcp?: { allowed?: unknown };
}

function notedOf({ document }: Pick<ManifestFacts, 'document'>): Noted {
  const plan = document['launch_plan'] as { metadata?: { rouse?: Noted } } | undefined;
  return plan?.metadata?.rouse ?? {};
}

function toolsInWords(facts: ManifestFacts): string {
  const door = mcpDoorOf(facts);
  if (door === undefined) return 'no mail tools';
  const asking = notedOf(facts).mcp?.allowed === false ? ', not allowed beforehand' : '';
  return `mail tools by ${DOORS[door] ?? door}${asking}`;
}

function wakesOff(agentName: string, attached: AttachReport | undefined): string {
  const enable = `"${commandLine`rouse agents gateway mail-notifier enable --agent-name ${agentName} --interval-seconds 60 --repeat backoff`}"`;
  return attached
    ? `wakes off: ${enable} turns them on`
    : `wakes off: add --wake, or "${commandLine`rouse agents gateway attach --agent-name ${agentName}`}" and ${enable}`;
}
