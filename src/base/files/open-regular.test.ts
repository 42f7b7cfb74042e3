import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Below, openRegular } from './open-regular.ts';

let root: string;
let project: string;
let below: Below;

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-open-')));
  project = path.join(root, 'project');
  fs.mkdirSync(path.join(project, 'kept'), { recursive: true });
  fs.mkdirSync(path.join(root, 'project-2'));
  for (const file of ['secret', 'project-2/near', 'project/own', 'project/kept/token'])
    fs.writeFileSync(path.join(root, file), file);
  below = { directory: project, except: [path.join(project, 'kept')], alone: true };
});

afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

async function open(file: string, where: Below | undefined = below): Promise<string> {
  const opened = await openRegular(file, where);
  if ('refused' in opened) return opened.refused;
  try {
    return await opened.handle.readFile('utf8');
  } finally {
    await opened.handle.close();
  }
}

describe('a regular file below a directory', () => {
  it('a regular file below a directory is opened by its path, by a link inside, and through a link to the directory', async () => {
    fs.symlinkSync('own', path.join(project, 'inside'));
    fs.symlinkSync(project, path.join(root, 'shortcut'));
    const linked = { ...below, directory: path.join(root, 'shortcut') };
    expect(await open(path.join(project, 'own'))).toBe('project/own');
    expect(await open(path.join(project, 'inside'))).toBe('project/own');
    expect(await open(path.join(root, 'shortcut', 'own'), linked)).toBe('project/own');
    expect(await open(path.join(project, 'own'), linked)).toBe('project/own');
  });

  it.each<[string, () => string]>([
    ['another path', () => path.join(root, 'secret')],
    ['a path that is not there', () => path.join(root, 'nowhere')],
    ['a directory that begins alike', () => path.join(root, 'project-2', 'near')],
    ['dots', () => `${project}/../secret`],
    ['a link to a file', () => link('file', path.join(root, 'secret'))],
    ['a link to a directory', () => path.join(link('up', root), 'secret')],
    ['a link to a link', () => link('second', link('first', path.join(root, 'secret')))],
    ['a link to a file of a process', () => link('environ', '/proc/self/environ')],
    ['a link to a descriptor', () => link('descriptor', '/dev/fd/0')],
    [
      'a path that a link would lead out by, if it were there',
      () => path.join(link('gone', root), 'nothing'),
    ],
    ['a link that leads nowhere', () => link('dangling', path.join(root, 'nothing'))],
    ['a path below a file elsewhere', () => path.join(link('via', path.join(root, 'secret')), 'x')],
    ['a kept directory', () => path.join(project, 'kept', 'token')],
    ['a link to a kept directory', () => path.join(link('other', path.join(project, 'kept')), 'token')],
  ])('%s is not opened as a regular file below a directory', async (_, made) => {
    expect(await open(made())).toBe('outside');
  });

  it('a file with a second name is refused below a directory', async () => {
    fs.linkSync(path.join(root, 'secret'), path.join(project, 'hard'));
    fs.linkSync(path.join(project, 'own'), path.join(project, 'twin'));
    expect(await open(path.join(project, 'hard'))).toBe('shared');
    expect(await open(path.join(project, 'twin'))).toBe('shared');
    expect(await open(path.join(project, 'hard'), { ...below, alone: false })).toBe('secret');
  });

  it('a file of the kernel is refused even below the root directory', async () => {
    const all = { directory: '/', except: [] };
    expect(await open(path.join(project, 'own'), all)).toBe('project/own');
    expect(await open('/proc/self/environ', all)).toBe('outside');
    expect(await open('/sys/kernel/mm/transparent_hugepage/enabled', all)).not.toContain('[');
  });

  it('nothing is opened below a directory that is itself excluded; one inside an excluded parent is allowed', async () => {
    expect(await open(path.join(project, 'own'), { directory: project, except: [project] })).toBe('outside');
    expect(await open(path.join(project, 'own'), { directory: project, except: [root] })).toBe('project/own');
  });

  it('a directory, pipe or device is not opened as a regular file, and nothing waits for it', async () => {
    const pipe = path.join(project, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await open(pipe)).toBe('not_regular');
    expect(await open(path.join(project, 'kept'), { directory: project, except: [] })).toBe('not_regular');
    expect(await openRegular('/dev/zero')).toEqual({ refused: 'not_regular' });
    expect(await open(path.join(project, 'nowhere'))).toBe('missing');
  });

  it('the opened file is never another one, however often a directory on the way is swapped for a link', async () => {
    const inner = path.join(project, 'inner');
    const away = path.join(root, 'away');
    fs.mkdirSync(inner);
    fs.mkdirSync(away);
    fs.writeFileSync(path.join(inner, 'file'), 'own');
    fs.writeFileSync(path.join(away, 'file'), 'stolen');
    fs.symlinkSync(away, path.join(root, 'link'));
    const [aside, trap] = [path.join(root, 'aside'), path.join(root, 'link')];
    const found: string[] = [];
    for (let n = 0; n < 300; n++) {
      const opening = open(path.join(inner, 'file'));
      fs.renameSync(inner, aside);
      fs.renameSync(trap, inner);
      found.push(await opening, await open(path.join(inner, 'file')));
      fs.renameSync(inner, trap);
      fs.renameSync(aside, inner);
    }
    expect(new Set(found)).not.toContain('stolen');
    expect(found).toContain('outside');
  });
});

function link(name: string, target: string): string {
  const made = path.join(project, name);
  fs.symlinkSync(target, made);
  return made;
}
