import { expect, it } from 'vitest';
import { calledAs } from './called-as.ts';

const HINT =
  'try "rouse ls", rouse <command>, or rouse status ana; /usr/bin/rouse ls stays, and so does "rouse"\n';
const RENAMED =
  'try "houmao-mgr ls", houmao-mgr <command>, or houmao-mgr status ana; /usr/bin/rouse ls stays, and so does "rouse"\n';

function said(line: string, program?: string): { out: string; err: string } {
  const written = { out: '', err: '' };
  const { stdout, stderr } = calledAs({
    argv: line.split(' '),
    program,
    stdout: { write: (text) => void (written.out += text) },
    stderr: { write: (text) => void (written.err += text) },
  });
  stdout.write(HINT);
  stderr.write(HINT);
  return written;
}

it.each([
  ['as rouse', 'ls', undefined, HINT, HINT],
  ['as houmao-mgr', 'ls', 'houmao-mgr', RENAMED, RENAMED],
  [
    'as houmao-mgr, of a command that prints words of others',
    'agents mail read',
    'houmao-mgr',
    HINT,
    RENAMED,
  ],
  ['as houmao-mgr, of the help of such a command', 'mail read --help', 'houmao-mgr', RENAMED, RENAMED],
])('suggested commands start with the name the program was called by: %s', (_, line, program, out, err) => {
  expect(said(line, program)).toEqual({ out, err });
});
