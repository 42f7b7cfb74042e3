import { armCrashPoint, systemClock } from '../../src/base/index.ts';
import { openSurface, type SurfaceOptions } from '../../src/terminal/index.ts';

/** Delivers one prompt and dies at the given instant. */
const { at, text, requestId, ...options } = JSON.parse(process.argv[2]!) as SurfaceOptions & {
  at: string;
  text: string;
  requestId: string;
};
const surface = openSurface({ ...options, clock: systemClock });
await surface.start();
while (!surface.observation().ready) await surface.changed.next();
armCrashPoint(at);
const { outcome } = await surface.deliver({ requestId, text, policy: 'ready_only', record: async () => {} });
process.stdout.write(`survived: ${outcome}\n`);
await surface.close();
