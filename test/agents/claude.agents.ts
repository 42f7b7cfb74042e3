import { describeStartedAgain } from './again-suite.ts';
import { describeDenied } from './deny-suite.ts';
import { describeHeadless } from './headless-suite.ts';
import { describeStopped } from './stopped-suite.ts';
import { REAL_TOOLS } from './support/real-tools.ts';
import { describeTool } from './tool-suite.ts';
import { describeWakes } from './wake-suite.ts';

describeTool(REAL_TOOLS.claude);
describeWakes(REAL_TOOLS.claude);
describeHeadless(REAL_TOOLS.claude);
describeDenied(REAL_TOOLS.claude);
describeStartedAgain(REAL_TOOLS.claude);
describeStopped(REAL_TOOLS.claude);
