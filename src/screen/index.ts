/**
 * Screen: turns a captured terminal into its meaning.
 *
 * Promises  Pure: no I/O, no tmux, no clock; time and ages are parameters.
 *           Only an empty composer around the cursor, with no sign of a turn, a dialog, a menu or queued input, is
 *           ready. An unrecognised screen is unknown, and unknown is not ready.
 *           Detectors are data from tools/ or learned, and one engine reads them.
 * Never     Treats elapsed time as evidence: a turn that was not seen to end has not ended.
 * Errors    A file from a person that is not a capture is `invalid`. Nothing else throws.
 */

export * from './calibrate.ts';
export * from './capture-file.ts';
export * from './classify.ts';
export * from './detector.ts';
export * from './facts.ts';
export { findComposer } from './find-composer.ts';
export { limitEnd, statesSeconds } from './limits/limit-end.ts';
export { limitIn } from './limits/usage-limit.ts';

export * from './model/screen.ts';
export * from './model/snapshot-parser.ts';
export * from './model/style.ts';
export * from './observe.ts';
export { dialogHash, pictureOf, type ScreenPicture } from './picture.ts';
export { mainPart } from './sidebar.ts';
export * from './tool-signals.ts';
export * from './turn/contract-state.ts';
export * from './turn/readiness.ts';
export { stabilityAt, stillBeforeTyping } from './turn/stability.ts';
export * from './turn/turn-reducer.ts';
export * from './turn/turn-state.ts';

export * from './version-range.ts';
