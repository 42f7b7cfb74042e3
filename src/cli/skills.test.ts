import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cliAgent } from '../../test/support/cli-agent.ts';
import { Ending, sha256 } from '../base/index.ts';
import { MAIL_SKILLS } from '../domain/index.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

async function start() {
  const { rouse, json } = await cliAgent(ending);
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-skills-'));
  ending.add(() => fs.rmSync(home, { recursive: true, force: true }));
  const file = path.join(home, 'skills', MAIL_SKILLS[0], 'SKILL.md');
  const line = ['skills', 'install', '--tool', 'claude', '--home', home];
  const states = async (): Promise<string[]> =>
    (await json(['skills', 'list', '--tool', 'claude', '--home', home])).skills.map(
      (each: { state: string }) => each.state,
    );
  return { rouse, json, home, file, line, states };
}

describe('skills', () => {
  it.each(MAIL_SKILLS)('%s has a name that is its directory, and a description tools accept', (skill) => {
    const text = fs.readFileSync(path.join('assets', 'skills', skill, 'SKILL.md'), 'utf8');
    const [, head = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
    expect(head).toMatch(new RegExp(`^name: ${skill}$`, 'm'));
    expect(/^description: (.*)$/m.exec(head)?.[1]?.length).toBeLessThan(1024);
  });

  it('skills are installed once, and again only when they differ from the package', async () => {
    const { json, file, line, states } = await start();
    expect(await states()).toEqual(['absent', 'absent']);
    const [first] = (await json(line)).skills;
    expect(first).toMatchObject({ was: 'absent', state: 'current', file });
    expect((await json(line)).skills[0]).toMatchObject({ was: 'current' });
  });

  it('skills are removed without a trace; a file that was edited stays and is listed', async () => {
    const { rouse, json, home, file, line } = await start();
    const away = ['skills', 'uninstall', '--tool', 'claude', '--home', home];
    await json(line);
    expect((await json(away)).skills).toEqual(
      MAIL_SKILLS.map((skill) => expect.objectContaining({ skill, removed: true })),
    );
    expect(fs.readdirSync(home)).toEqual([]);
    expect((await rouse(away)).out).toBe('no skills are installed\n');
    await json(line);
    fs.appendFileSync(file, 'my own rule\n');
    expect((await rouse(away)).out).toContain(`kept, because you changed it  ${file}`);
    expect(fs.existsSync(file)).toBe(true);
    expect(fs.readdirSync(path.join(home, 'skills'))).toEqual([MAIL_SKILLS[0]]);
    expect((await rouse(['skills', 'uninstall', '--home', home])).code).toBe(2);
  });

  it('uninstalling skills removes the directories created for them, and no other', async () => {
    const { json, home } = await start();
    const away = (tool: string) => json(['skills', 'uninstall', '--tool', tool, '--home', home]);
    await json(['skills', 'install', '--tool', 'gemini', '--home', home]);
    await away('gemini');
    expect(fs.readdirSync(home)).toEqual([]);
    fs.mkdirSync(path.join(home, 'skills'));
    await json(['skills', 'install', '--tool', 'claude', '--home', home]);
    await away('claude');
    expect(fs.readdirSync(home)).toEqual(['skills']);
  });

  it('skills of an earlier version are updated; an edited file is left alone without --force', async () => {
    const { rouse, json, file, line, states } = await start();
    await json(line);
    const stamp = path.join(path.dirname(file), '.rouse.json');
    fs.writeFileSync(file, 'older text of ours');
    fs.writeFileSync(stamp, JSON.stringify({ sha256: sha256('older text of ours') }));
    expect(await states()).toEqual(['outdated', 'current']);
    expect((await json(line)).skills[0].was).toBe('outdated');

    fs.appendFileSync(file, '\nmy own rule\n');
    fs.rmSync(path.join(path.dirname(path.dirname(file)), MAIL_SKILLS[1]), { recursive: true });
    const refused = await rouse(line);
    expect([refused.code, refused.err]).toEqual([4, expect.stringMatching(/changed by hand[\s\S]*--force/)]);
    expect(fs.readFileSync(file, 'utf8')).toMatch(/my own rule/);
    expect(await states()).toEqual(['changed', 'absent']);
    expect((await rouse([...line, '--force'])).code).toBe(0);
    expect(await states()).toEqual(['current', 'current']);
  });

  it.each<[string[], RegExp]>([
    [['skills', 'install'], /--tool/],
    [['skills', 'install', '--tool', 'emacs'], /claude, codex/],
    [['skills', 'list', '--home', '/x'], /--home goes with --tool/],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await (await start()).rouse(args);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});
