import { afterAll, describe, expect, it, type TestContext } from 'vitest';
import { disksFor, smallDisk } from '../faults/small-file-system.ts';
import { proofReport } from '../support/proof-report.ts';
import { FULL, sampled } from '../support/sample.ts';
import { COMMANDS, type CommandName, DEATHS, type Death } from './deaths.ts';
import { cellOf, readPage, writePage } from './deaths-page.ts';
import { DyingAgent } from './dying-agent.ts';
import { saidInShort } from './what-is-said.ts';

/**
 * Each part of an agent dies, and a person tries any command: it reports the death, and the command it names restores the agent
 * with its gateway and settings. ROUSE_PROOF=full plays every cell, `npm test` a few; docs/deaths.md has their output.
 */
const UPDATE = process.env['GOLDEN_UPDATE'] === 'yes';
const NAMES = Object.keys(COMMANDS) as CommandName[];
const CELLS = DEATHS.flatMap((death) => NAMES.map((command) => ({ death, command })));
const played = sampled(import.meta.filename, CELLS, 3);
const page = readPage();
const said = new Map<string, string>();

/** A separate file system that can be filled. */
function homeOnSmallDisk(death: Death): { disk: ReturnType<typeof smallDisk>; ana: DyingAgent } {
  const disk = smallDisk('tmpfs', 64);
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = disk.directory;
  try {
    return { disk, ana: new DyingAgent(death) };
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
}

async function play(
  death: Death,
  commands: readonly CommandName[],
  { onTestFinished }: TestContext,
): Promise<void> {
  const { ana, disk } = death.ownDisk
    ? homeOnSmallDisk(death)
    : { ana: new DyingAgent(death), disk: undefined };
  onTestFinished(async () => {
    disk?.empty();
    await ana.close();
  });
  for (const command of commands) {
    await ana.live();
    await death.strike(ana, disk);
    await ana.world.until(async () => death.isSeen(await ana.shown()));
    if (disk) death.again?.(disk);
    const answer = await ana.rouse(COMMANDS[command]);
    const short = saidInShort(command, answer, ana);
    const cell = cellOf(death, command);
    said.set(cell, short);
    const fixes = death.fixing.includes(command);
    if (command !== 'stop' && !fixes && !death.unconcerned.includes(command))
      expect(short, cell).toContain(death.shows);
    if (!UPDATE) expect(`${cell}\n${short}`).toBe(`${cell}\n${page.get(cell)}`);
    disk?.empty();
    if (command === 'stop') {
      await ana.isForgotten();
      continue;
    }
    if (death.fix !== undefined && !fixes) await ana.done(death.fix);
    await ana.isAsBefore();
  }
}

const [disk] = disksFor('deaths');
const noDisk = disk?.reason;

function plays(isOwnDisk: boolean): void {
  for (const death of DEATHS.filter(({ ownDisk = false }) => ownDisk === isOwnDisk)) {
    const commands = played.filter((cell) => cell.death === death).map(({ command }) => command);
    if (commands.length === 0) continue;
    it.skipIf(isOwnDisk && noDisk)(
      `after the death "${death.name}", ${commands.join(', ')} report it, and what they name restores the agent`,
      (context) => play(death, commands, context),
      FULL ? 900_000 : 300_000,
    );
  }
}

// A sample may have no cell of one kind, and a suite without tests fails.
if (played.some(({ death }) => !death.ownDisk))
  describe.concurrent('an agent of which something dies', () => plays(false));
if (played.some(({ death }) => death.ownDisk)) describe('an agent whose disk is full', () => plays(true));

afterAll(() => {
  if (UPDATE) writePage(new Map([...page, ...said]));
  proofReport(`${said.size} of ${CELLS.length} cells: each death reported, and fixed by the named command`);
});
