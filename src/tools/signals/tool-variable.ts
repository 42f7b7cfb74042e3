import * as fs from 'node:fs';

/** A variable of the tool's own environment, as it was started; undefined where that cannot be read. */
export function toolVariable(pid: number, name: string): string | undefined {
  try {
    const entries = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) || undefined;
  } catch {
    return undefined;
  }
}
