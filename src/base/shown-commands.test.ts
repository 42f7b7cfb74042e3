import * as fs from 'node:fs';
import * as path from 'node:path';
import { expect, it } from 'vitest';

const SOURCES = path.resolve(import.meta.dirname, '..');
/** A command in words for a person, with something filled in. */
const COMMAND =
  /(commandLine)?`[^`]*?\b(?:rouse|houmao-mgr|chmod|chown|tmux -\w|kill|rm -|mv|systemctl) [^`"\n]*?\$\{([^}]*)/g;
/** Each makes its words safe, or is a constant of ours. */
const SAFE = /^(shellQuote|shellWords|commandLine|command\.shortFor)|\bshellQuote\b|^[A-Z][A-Z_]*$/;

it('every command that is shown for copying has its words quoted', () => {
  const found = fs
    .readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/(\.test|testing)\.tsx?$/.test(file))
    .flatMap((file) =>
      [...fs.readFileSync(path.join(SOURCES, file), 'utf8').matchAll(COMMAND)]
        .filter(([, tag, filled]) => tag === undefined && !SAFE.test(filled!))
        .map(([all]) => `${file}: ${all.slice(0, 160)}`),
    );
  expect(found).toEqual([]);
});
