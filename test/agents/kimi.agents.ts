import { describeStartedAgain } from './again-suite.ts';
import { describeHeadless } from './headless-suite.ts';
import { REAL_TOOLS } from './support/real-tools.ts';
import { describeTool } from './tool-suite.ts';
import { describeWakes } from './wake-suite.ts';

describeTool(REAL_TOOLS.kimi);
describeWakes(REAL_TOOLS.kimi);
describeHeadless(REAL_TOOLS.kimi);
describeStartedAgain(REAL_TOOLS.kimi);
