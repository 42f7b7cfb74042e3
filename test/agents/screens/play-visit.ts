import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseCaptureFile } from '../../../src/screen/capture-file.ts';
import { expectedOf, type Fixture, judge, type Verdict, verdictOn } from '../../screen/captured-fixtures.ts';
import type { Outcome, Scene, Visit } from './scene.ts';
import { VisitedTerminal } from './visited-terminal.ts';

/** The result of one scene. `verdict`: how the current detector classifies it. */
export interface Played {
  name: string;
  outcome: Outcome | 'not_tried';
  verdict: Verdict | 'mislabelled' | 'failed';
  said: string[];
}

/** Plays a visit and writes each capture with its label into the directory, unless the trial contradicts the label. */
export async function playVisit(visit: Visit, directory: string): Promise<Played[]> {
  const played: Played[] = [];
  const terminal = await VisitedTerminal.open(visit);
  try {
    await (visit.begin ? visit.begin(terminal) : terminal.still());
    for (const scene of visit.scenes) {
      played.push(await playScene(terminal, scene, directory));
      await (scene.leave ? scene.leave(terminal) : terminal.still());
    }
  } catch (error) {
    const name = visit.scenes[played.length]?.state ?? visit.setup;
    played.push({ name, outcome: 'not_tried', verdict: 'failed', said: [String(error)] });
  } finally {
    await terminal.close();
  }
  return played;
}

async function playScene(terminal: VisitedTerminal, scene: Scene, directory: string): Promise<Played> {
  const { visit, version } = terminal;
  await (scene.bring ? scene.bring(terminal) : terminal.still());
  const picture = terminal.capture(scene.state);
  const name = `${visit.tool}-${version}-${scene.state}-${terminal.size}.ansi.txt`;
  const outcome: Played['outcome'] = scene.trial === 'never' ? 'not_tried' : await terminal.trial();
  const [first = '', ...rest] = picture.split('\n');
  const text = [`${first} tried=${outcome}`, ...rest].join('\n');
  const capture = parseCaptureFile(text, name);
  const fixture: Fixture = {
    name,
    tool: visit.tool,
    version,
    state: scene.state,
    text,
    capture,
    tried: outcome,
  };
  const result = { name, outcome, ...verdictOf(fixture, outcome) };
  if (result.verdict !== 'mislabelled') fs.writeFileSync(path.join(directory, name), text);
  else fs.writeFileSync(path.join(directory, `${name}.mislabelled`), text);
  return result;
}

const TAKEN: Played['outcome'][] = ['own_turn', 'beside'];

/** The prompt is entered, but starts no work. */
const ANSWERED_BY_TOOL = /^(logged-out|limit)/;

function verdictOf(fixture: Fixture, outcome: Played['outcome']): Pick<Played, 'verdict' | 'said'> {
  const { gate } = judge(fixture);
  const said = gate.ready ? ['ready'] : gate.reasons.map(({ code }) => code as string);
  const taken = TAKEN.includes(outcome);
  const wanted = expectedOf(fixture) === 'ready';
  const contradicts = wanted ? !taken : taken && !ANSWERED_BY_TOOL.test(fixture.state);
  return { verdict: contradicts ? 'mislabelled' : verdictOn(fixture), said };
}
