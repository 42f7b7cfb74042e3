import * as fs from 'node:fs';
import * as path from 'node:path';
import { overlayHomeOf } from '../../tools/index.ts';

/** A home of the session that stood before the tool's own, as the launch noted it. */
interface OwnHome {
  ours: string;
  theirs: string;
  /** Of which ours is a copy. */
  file: string;
}

/**
 * Ends the home that stood before a tool's own. What the tool made there and the person does not have, such as a first
 * login, goes where the tool would have put it; of what both have, the person's stays.
 */
export function endOwnHome(launchDir: string, noted: unknown): void {
  const home = overlayHomeOf(launchDir);
  if (!fs.existsSync(home)) return;
  try {
    if (isOwnHome(noted, home)) bringHome(noted);
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

function bringHome({ ours, theirs, file }: OwnHome): void {
  for (const entry of fs.readdirSync(ours, { withFileTypes: true })) {
    const target = path.join(theirs, entry.name);
    if (entry.isSymbolicLink() || entry.name === file || fs.existsSync(target)) continue;
    fs.mkdirSync(theirs, { recursive: true, mode: 0o700 });
    fs.cpSync(path.join(ours, entry.name), target, { recursive: true, verbatimSymlinks: true });
  }
}

function isOwnHome(noted: unknown, home: string): noted is OwnHome {
  const { ours, theirs, file } = (noted ?? {}) as Partial<Record<keyof OwnHome, unknown>>;
  return (
    typeof ours === 'string' &&
    typeof theirs === 'string' &&
    typeof file === 'string' &&
    (ours === home || ours.startsWith(`${home}${path.sep}`)) &&
    fs.existsSync(ours)
  );
}
