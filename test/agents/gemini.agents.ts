import { describeStartedAgain } from './again-suite.ts';
import { describeDenied } from './deny-suite.ts';
import { describeHeadless } from './headless-suite.ts';
import { describeStopped } from './stopped-suite.ts';
import { REAL_TOOLS } from './support/real-tools.ts';
import { describeTool } from './tool-suite.ts';
import { describeWakes } from './wake-suite.ts';

describeTool(REAL_TOOLS.gemini);
describeWakes(REAL_TOOLS.gemini);
describeHeadless(REAL_TOOLS.gemini);
describeDenied(REAL_TOOLS.gemini);
describeStartedAgain(REAL_TOOLS.gemini);
describeStopped(REAL_TOOLS.gemini, { headless: true });
