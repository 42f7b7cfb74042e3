import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAIL_SKILLS } from '../../src/domain/index.ts';
import { TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let bin: string;
beforeAll(() => {
  world = new TestWorld();
  bin = path.join(world.directory, 'bin');
  fs.mkdirSync(bin);
  // Only the name matters here: what launch does for this tool before it starts.
  fs.writeFileSync(
    path.join(bin, 'claude'),
    '#!/bin/sh\n[ "$1" = --version ] && exec echo 2.1.0\nwhile :; do sleep 1; done\n',
    { mode: 0o755 },
  );
});
afterAll(() => world.close());

const skill = (home: string, name: string): string => path.join(home, 'skills', name, 'SKILL.md');

async function launch(name: string, home: string, ...more: string[]) {
  const words = ['agents', 'launch', '--tool', 'claude', '--agent-name', name, '--home', home, ...more];
  const said = await world.rouse(['--print-json', ...words], { PATH: `${bin}:${process.env['PATH']}` });
  await world.rouse(['agents', 'stop', '--agent-name', name]);
  return said;
}

it('launch puts the mail skills where the tool looks, with a mark, and once', async () => {
  const home = path.join(world.directory, 'home-1');
  fs.mkdirSync(home);
  const files = MAIL_SKILLS.map((name) => skill(home, name));
  const said = await launch('first', home);
  expect([said.code, said.json['skills_written'], said.json['skills_problem']]).toEqual([0, files, null]);
  expect(fs.existsSync(path.join(path.dirname(files[0]!), '.rouse.json'))).toBe(true);
  expect((await launch('second', home)).json['skills_written']).toEqual([]);
});

it("a person's own text is left as it is, and nothing is written without a mailbox or when not wanted", async () => {
  const home = path.join(world.directory, 'home-2');
  const own = skill(home, MAIL_SKILLS[0]);
  fs.mkdirSync(path.dirname(own), { recursive: true });
  fs.writeFileSync(own, 'mine');
  expect((await launch('a', home, '--no-mailbox')).json['skills_written']).toEqual([]);
  expect((await launch('b', home, '--no-install-houmao-skills')).json['skills_written']).toEqual([]);
  expect((await launch('c', home)).json['skills_written']).toEqual([skill(home, MAIL_SKILLS[1])]);
  expect(fs.readFileSync(own, 'utf8')).toBe('mine');
});

it('an agent starts also where its skills cannot be written, and it is said', async () => {
  const home = path.join(world.directory, 'home-3');
  fs.mkdirSync(home);
  fs.writeFileSync(path.join(home, 'skills'), 'in the way');
  const said = await launch('stuck', home);
  expect([said.code, said.json['skills_problem']]).toEqual([0, expect.stringMatching(/not installed/)]);
});
