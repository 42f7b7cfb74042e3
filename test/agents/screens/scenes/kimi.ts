import type { Visit } from '../scene.ts';

export const kimi: Visit[] = [
  {
    tool: 'kimi',
    setup: 'as it comes',
    columns: 90,
    rows: 28,
    scenes: [
      { state: 'ready-first' },
      { state: 'completed-first' },
      {
        state: 'busy-first',
        bring: async (stage) => {
          await stage.says('Take your time. [[delay=6000]]');
          await stage.pause(1_500);
        },
      },
    ],
  },
];
