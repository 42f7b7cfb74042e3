import type { Detector } from '../../screen/index.ts';

/** A tool nobody has described: nothing on its screen is recognised, so it is never ready until it was calibrated. */
export function unknownTool(tool: string): Detector {
  return {
    tool,
    versions: { from: '0.0.0', below: '0.0.0', seen: [] },
    processNames: [tool],
    composers: [],
    title: {},
    signs: [],
    transcript: { prompt: /^(?!)/ },
    input: {
      pasteGapMs: 300,
      changes: [],
      refuses: [],
      interruptKeys: ['Escape'],
      clearKeys: ['C-u'],
      resetCommand: '/clear',
      whileBusy: 'queues',
      restoresPrompt: false,
    },
    signals: [],
  };
}
