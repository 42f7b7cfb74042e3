import * as path from 'node:path';
import { type Checked, checkValues } from './check-values.ts';
import { parseToml } from './parse-toml.ts';
import type { CarefulFile } from './read-carefully.ts';

export { CONFIG_KEYS } from './keys.ts';

/** Parses a file and checks every value in it. */
export function checkFile(
  file: CarefulFile,
  { byProject, person }: { byProject: boolean; person: string },
): Checked {
  return checkValues(parseToml(file), { directory: path.dirname(file.path), byProject, home: person });
}
