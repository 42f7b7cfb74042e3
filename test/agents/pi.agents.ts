import { describeStartedAgain } from './again-suite.ts';
import { describeHeadless } from './headless-suite.ts';
import { REAL_TOOLS } from './support/real-tools.ts';
import { describeTool } from './tool-suite.ts';
import { describeWakes } from './wake-suite.ts';

describeTool(REAL_TOOLS.pi);
describeWakes(REAL_TOOLS.pi);
describeHeadless(REAL_TOOLS.pi);
describeStartedAgain(REAL_TOOLS.pi);
