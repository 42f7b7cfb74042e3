/** Half open: from ≤ version < below. */
export interface VersionRange {
  from: string;
  below: string;
  /** Versions whose screens are among the fixtures. */
  seen: string[];
}

export type VersionStatus =
  /** A version whose screens were checked. */
  | 'seen'
  /** Between versions that were checked, or a later one of the same line. */
  | 'in_range'
  /** The version is unknown; the newest detector is used. */
  | 'assumed'
  | 'outside';

/** The three numbers of a version, 2.1.325 from `claude 2.1.325 (Claude Code)`; undefined if there are none. */
export function readVersion(text: string): [number, number, number] | undefined {
  const found = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  return found ? [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)] : undefined;
}

export function compareVersions(a: string, b: string): number {
  const left = readVersion(a) ?? [0, 0, 0];
  const right = readVersion(b) ?? [0, 0, 0];
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

export function isInRange(version: string, range: VersionRange): boolean {
  if (!readVersion(version)) return false;
  return compareVersions(version, range.from) >= 0 && compareVersions(version, range.below) < 0;
}

export function versionStatus(version: string | undefined, range: VersionRange): VersionStatus {
  if (version === undefined) return 'assumed';
  if (!isInRange(version, range)) return 'outside';
  return range.seen.some((seen) => compareVersions(seen, version) === 0) ? 'seen' : 'in_range';
}
