import fc from 'fast-check';
import { drawSeed } from './draw-seed.ts';

// Without a seed, fast-check draws by the time of day. A failing property prints the seed and path that repeat it.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: drawSeed() | 0 });
