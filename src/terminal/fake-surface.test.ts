import { FakeSurface } from './fake-surface.ts';
import { surfaceContract } from './surface.contract.ts';

surfaceContract('the surface in memory', async () => {
  const surface = new FakeSurface();
  return {
    surface,
    received: () => surface.submitted,
    setBusy: async (busy) => surface.show({ ready: !busy, busy, reasons: busy ? ["phase='active'"] : [] }),
    close: () => surface.close(),
  };
});
