import * as os from 'node:os';
import { type Clock, systemClock } from '../../base/index.ts';
import { takeSlot } from './account-slots.ts';
import { limitFile, Parking } from './parking.ts';

export interface ParkingPlace {
  manifest: {
    tool: string;
    launch_plan: { home_selector?: { home_path?: string | null | undefined } | null | undefined };
  };
  sessionRoot: string;
  /** Where agents of this host that share an account take turns after a usage limit. Absent: this one is alone. */
  limitsDirectory?: string | undefined;
  /** The environment that names the home. Default: that of this process. */
  env?: NodeJS.ProcessEnv | undefined;
  clock?: Clock | undefined;
}

/** The parking of a session, continued where another gateway left it. */
export function openParking(place: ParkingPlace, changed: () => void): Parking {
  const { manifest, sessionRoot, limitsDirectory: directory, env = process.env, clock = systemClock } = place;
  const home = manifest.launch_plan.home_selector?.home_path ?? env['HOME'] ?? os.homedir();
  return new Parking({
    file: limitFile(sessionRoot),
    clock,
    uptime: () => os.uptime() * 1000,
    takeSlot: directory
      ? (fromMs) => takeSlot(directory, { tool: manifest.tool, home }, { fromMs, clock })
      : undefined,
    changed,
  });
}
