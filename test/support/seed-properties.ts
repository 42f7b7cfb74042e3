import fc from 'fast-check';
import { drawSeed } from './draw-seed.ts';

// fast-check draws by the time of day unless it is given a seed; a failing property prints the seed and path that repeat it.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: drawSeed() | 0 });
