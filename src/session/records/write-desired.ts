import { writeJsonIfOther } from '../../base/index.ts';
import {
  besideOf,
  type DesiredConfigFile,
  desiredConfigFile,
  parseFile,
  splitFile,
} from '../../wire/index.ts';
import type { SessionPaths } from './session-paths.ts';

/** Stores what the next attach starts from, unless that is what is stored; see readDesiredConfig. */
export function writeDesired({ desiredConfig: file }: SessionPaths, desired: DesiredConfigFile): void {
  const hosted = desired.desired_execution_mode === 'hosted';
  const document = { ...desired, ...(hosted && { desired_hosted: true as const }) };
  const { published, beside } = splitFile(desiredConfigFile, parseFile(desiredConfigFile, document, file), [
    'desired_port',
  ]);
  writeJsonIfOther(besideOf(file), beside);
  writeJsonIfOther(file, published);
}
