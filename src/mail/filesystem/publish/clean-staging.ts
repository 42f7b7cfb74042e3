import * as fs from 'node:fs';
import * as path from 'node:path';
import { type Clock, ensurePrivateDirectory } from '../../../base/index.ts';
import { quarantine } from '../repair/message-scan.ts';
import type { Layout } from '../root/layout.ts';

/** A younger staged file may belong to a live writer. */
const STAGED_FOR_MS = 60_000;

export interface StagingReport {
  staging_action: 'quarantine' | 'remove' | 'none';
  staging_artifact_count: number;
  staging_artifact_paths: string[];
}

/** Quarantines or removes what interrupted writers left in staging/. */
export function cleanStaging(
  layout: Layout,
  {
    cleanup_staging: clean = true,
    quarantine_staging: keep = true,
  }: { cleanup_staging?: boolean; quarantine_staging?: boolean },
  { clock, stamp }: { clock: Clock; stamp: string },
): StagingReport {
  if (!clean) return { staging_action: 'none', staging_artifact_count: 0, staging_artifact_paths: [] };
  ensurePrivateDirectory(layout.staging);
  const old = fs.readdirSync(layout.staging, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(layout.staging, entry.name);
    const age = clock.now().getTime() - fs.lstatSync(file).mtimeMs;
    return !entry.isDirectory() && age >= STAGED_FOR_MS ? [file] : [];
  });
  const paths = old.map((file) => {
    if (keep) return quarantine(layout, file, stamp);
    fs.rmSync(file, { force: true });
    return file;
  });
  return {
    staging_action: keep ? 'quarantine' : 'remove',
    staging_artifact_count: paths.length,
    staging_artifact_paths: paths,
  };
}
