import { REAL_TOOLS, type RealTool } from '../support/real-tools.ts';
import { AgentPair } from './agent-pair.ts';
import { type Interruption, playRound, type Round } from './play-round.ts';

export const VARIANTS = ['plain', 'restart', 'relaunch', 'flat', 'fleet'] as const;
export type Variant = (typeof VARIANTS)[number];

export interface RoundsWanted {
  tool: string;
  rounds: number;
  variants: Variant[];
  say: (line: string) => void;
}

/** Besides the standard mode. Claude asks before dangerous actions by default, and before every action in this mode. */
const SETTINGS: Partial<Record<string, string[][]>> = { claude: [[], ['--permission-mode', 'default']] };

const LIMIT_MS = 120_000;
/** A stuck pair is replaced; after this many the tool is skipped. */
const MAX_STUCK = 3;

/** Returns the last lines, worst news first, and whether all is well. */
export async function runRounds(wanted: RoundsWanted): Promise<{ ok: boolean; lines: string[] }> {
  const tool = REAL_TOOLS[wanted.tool as keyof typeof REAL_TOOLS];
  const tallies: Tally[] = [];
  for (const variant of wanted.variants) {
    for (const toolArgs of SETTINGS[tool.tool] ?? [[]]) {
      const few = Math.ceil(wanted.rounds / 5);
      const tally = new Tally(tool, variant, toolArgs, variant === 'plain' ? wanted.rounds : few);
      tallies.push(tally);
      await playAll(tally, wanted.say);
    }
  }
  const lines = tallies.map((tally) => tally.line());
  return { ok: tallies.every((tally) => tally.ok), lines: lines.reverse() };
}

class Tally {
  readonly tool: RealTool;
  readonly variant: Variant;
  readonly toolArgs: string[];
  readonly rounds: number;
  readonly played: Round[] = [];

  constructor(tool: RealTool, variant: Variant, toolArgs: string[], rounds: number) {
    this.tool = tool;
    this.variant = variant;
    this.toolArgs = toolArgs;
    this.rounds = rounds;
  }

  get title(): string {
    const args = this.toolArgs.length > 0 ? ` ${this.toolArgs.join(' ')}` : '';
    return `round ${this.tool.tool}${args}${this.variant === 'plain' ? '' : `, ${this.variant}`}`;
  }

  get whole(): number {
    return this.played.filter(({ wrong }) => wrong.length === 0).length;
  }

  get stuck(): number {
    return this.played.filter(({ stuck }) => stuck).length;
  }

  get ok(): boolean {
    return this.whole === this.rounds && this.#sum('dialogs') === 0;
  }

  #sum(count: 'dialogs' | 'approvals'): number {
    return this.played.reduce((sum, round) => sum + round[count], 0);
  }

  line(): string {
    const doubled = this.played.filter((round) => round.doubled).length;
    const counts = `stuck ${this.stuck}, doubled ${doubled}, dialogs ${this.#sum('dialogs')}`;
    const pressed = this.tool.approveKeys ? `, approvals pressed ${this.#sum('approvals')}` : '';
    return `${this.title}: ${this.whole} of ${this.rounds}, ${counts}${pressed}`;
  }
}

async function playAll(tally: Tally, say: RoundsWanted['say']): Promise<void> {
  let pair: AgentPair | undefined;
  const { tool, variant, toolArgs, title } = tally;
  try {
    while (tally.played.length < tally.rounds && tally.stuck < MAX_STUCK) {
      const number = tally.played.length + 1;
      pair ??= await AgentPair.open(tool, { toolArgs, mail: mailOf(variant) });
      const word = `word-${tool.tool}-${variant}-${number}-${Date.now().toString(36)}`;
      const round = await playRound(pair, word, {
        interruption: interruptionOf(variant, number),
        limitMs: LIMIT_MS,
      });
      tally.played.push(round);
      const { wrong, tookMs, modelMs } = round;
      const times = `${(tookMs / 1000).toFixed(1)} s, of it the model ${(modelMs / 1000).toFixed(1)} s`;
      say(`${title} ${number}: ${wrong.length === 0 ? `whole, ${times}` : `not whole\n${wrong.join('\n')}`}`);
      if (!round.stuck) continue;
      await pair.close();
      pair = undefined;
    }
  } catch (error) {
    say(`${title}: ${(error as Error).message}`);
  } finally {
    await pair?.close();
  }
}

const mailOf = (variant: Variant) => (variant === 'flat' || variant === 'fleet' ? variant : 'filesystem');

/** In the middle of Ben's turn: after he replied, after he listed, after he read. */
function interruptionOf(variant: Variant, number: number): Interruption | undefined {
  const afterCalls = [3, 1, 2][(number - 1) % 3]!;
  if (variant === 'restart')
    return { afterCalls, act: (ben) => ben.restartGateway(), wakes: 1, endUnseen: true };
  if (variant === 'relaunch') return { afterCalls, act: (ben) => ben.relaunch(), wakes: 2 };
  return undefined;
}
